// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// A Unix stream from the poster to each receiver, written and read in C: many messages with one
/// call in a burst, one otherwise. It can't do without a reader: who is stopped stops everybody.
struct StreamProcesses: ProcessesSubject {
    let name = "bare stream in C"
    let role = Role.limit
    let canOutlastStopped = false

    /// The same for every payload: nobody decodes.
    func transport(for payload: ProcessesQuestion.Payload) -> Transport? { .stream }
}
