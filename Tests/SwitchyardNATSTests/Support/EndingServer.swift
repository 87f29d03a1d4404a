// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe

/// A server that takes each connection, and ends it with an error when something is published. It
/// runs in a process of its own until it is released.
final class EndingServer {
    private let process = Process()
    private let port: Int

    var url: String { "nats://127.0.0.1:\(port)" }

    /// - Parameter error: the error, in the server's words.
    init(_ error: String) throws {
        let script = """
            import socket, sys
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
            listener.listen(50)
            print(listener.getsockname()[1], flush=True)
            while True:
                client = listener.accept()[0]
                client.sendall(b'INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1000000}\\r\\n')
                for line in client.makefile("rb"):
                    words = line.split()
                    if words == [b"PING"]:
                        client.sendall(b"PONG\\r\\n")
                    if words and words[0] in [b"PUB", b"HPUB"]:
                        client.sendall(b"-ERR '" + sys.argv[1].encode() + b"'\\r\\n")
                        break
                try:
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096): pass
                except OSError:
                    pass
                client.close()
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, error]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            kill(process.processIdentifier, SIGKILL)
            throw ServerError(description: "the ending server did not start")
        }
        self.port = port
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        waitForEnd(of: process)
    }
}
#endif
