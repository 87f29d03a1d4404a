// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// Signals on a D-Bus of its own, configured as a session's. Its protocol is spoken directly, one
/// message with each call, as `libdbus` and `sd-bus` do.
struct BusProcesses: ProcessesSubject {
    let name = "D-Bus"
    let role = Role.peer
    /// False, so the cell is left out: the daemon holds messages that are not read, but takes many
    /// seconds for so many.
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
