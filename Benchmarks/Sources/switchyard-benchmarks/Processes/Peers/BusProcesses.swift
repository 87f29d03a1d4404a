// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// Signals on a D-Bus of its own, configured as a session's. Its protocol is spoken directly, in
/// batches: `libdbus` and `sd-bus` can do no more.
struct BusProcesses: ProcessesSubject {
    let name = "D-Bus"
    let role = Role.peer
    /// Its daemon holds what a stopped receiver does not read, for as long as its memory suffices.
    let canOutlastStopped = false

    var server: ServerProgram? {
        ServerProgram(
            name: "dbus-daemon", package: "dbus",
            arguments: { folder in
                [
                    "--session", "--nofork", "--nosyslog", "--nopidfile", "--print-address=1",
                    "--address=unix:path=\(folder)/bus",
                ]
            },
            readyText: "guid=", address: { folder, _ in folder + "/bus" })
    }

    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        payload == .opaque ? .dbus : nil
    }
}
