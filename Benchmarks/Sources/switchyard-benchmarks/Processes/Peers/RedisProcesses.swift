// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness

/// Redis Pub/Sub over a Unix socket; posts are pipelined and not answered. Its limits are the usual
/// ones: a subscriber for whom 32 MB wait is cut off.
struct RedisProcesses: ProcessesSubject {
    let name = "Redis"
    let role = Role.peer

    var server: ServerProgram? {
        ServerProgram(
            name: "redis-server", package: "redis-server",
            arguments: { folder in
                [
                    "--port", "0", "--unixsocket", folder + "/redis", "--dir", folder,
                    "--save", "", "--appendonly", "no", "--daemonize", "no",
                ]
            },
            readyText: "ready to accept connections", address: { folder, _ in folder + "/redis" })
    }

    func transport(for payload: ProcessesQuestion.Payload) -> Transport? {
        payload == .opaque ? .redis : nil
    }
}
