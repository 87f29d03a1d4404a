// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// A Unix stream from the poster to each receiver, written and read in C: many messages with one
/// call in a burst, one otherwise. The stream can't do without a reader: a stopped one stops all.
struct StreamProcesses: ProcessesSubject {
    let name = "bare stream in C"
    let role = Role.limit
    let canOutlastStopped = false

    /// The transport is the same for every payload: nothing is decoded.
    func transport(for payload: ProcessesQuestion.Payload) -> Transport? { .stream }
}
