// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe

/// A server that answers each ping, and otherwise does only what its script says. It runs in a
/// process of its own until it is released.
final class ScriptedServer {
    private let process = Process()
    private let port: Int

    var url: String { "nats://127.0.0.1:\(port)" }

    /// - Parameter script: the Python function `hear(line, server)`. It is called for each line of
    ///   the only client before the line is answered. `server.send(sid, subject, reply, data)`
    ///   sends a message to one subscription, and `server.sid(subject)` is the subscription's
    ///   number, or None.
    init(_ script: String) throws {
        let server = """
            import socket
            \(script)
            class Server:
                def __init__(self, client):
                    self.client, self.sids = client, {}
                def write(self, text):
                    self.client.sendall(text.encode())
                def send(self, sid, subject, reply, data):
                    self.write(f"MSG {subject} {sid} {reply} {len(data)}\\r\\n{data}\\r\\n")
                def sid(self, subject):
                    return self.sids.get(subject)
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen(1)
            print(listener.getsockname()[1], flush=True)
            server = Server(listener.accept()[0])
            server.write('INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1000000}\\r\\n')
            for line in server.client.makefile("rb"):
                words = line.decode(errors="replace").split()
                if words and words[0] == "SUB":
                    server.sids[words[1]] = words[-1]
                hear(words, server)
                if words == ["PING"]:
                    server.write("PONG\\r\\n")
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", server]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            kill(process.processIdentifier, SIGKILL)
            throw ServerError(description: "the scripted server did not start")
        }
        self.port = port
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        waitForEnd(of: process)
    }
}
#endif
