// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// NATS over loopback TCP, with its usual limits. Its protocol is spoken directly: the client
/// library waits before it sends.
struct NATSProcesses: ProcessesSubject {
    let name = "NATS"
    let role = Role.peer

    var server: ServerProgram? {
        ServerProgram(
            name: "nats-server", package: "nats-server",
            // The server listens at a free port, and prints it.
            arguments: { _ in ["--addr", "127.0.0.1", "--port", "-1"] },
            readyText: "Server is ready",
            address: { _, output in
                output.split(separator: "\n")
                    .first { $0.contains("Listening for client connections on") }
                    .flatMap { $0.split(separator: ":").last.map(String.init) }
            })
    }

    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        payload == .opaque ? .nats : nil
    }
}
