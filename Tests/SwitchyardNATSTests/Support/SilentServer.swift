// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore

/// A server that accepts connections, says something, and then falls silent. It runs in a process
/// of its own until it is released.
final class SilentServer {
    /// The first and only words of a server.
    enum Words: String, CaseIterable {
        case nothing = ""
        case halfALine = "INFO {\"server_id\":"
        case whoItIs =
            #"INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1000000}"#
        case thatItWantsTLS =
            #"INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"tls_required":true}"#

        var text: String { rawValue.hasSuffix("}") ? rawValue + "\r\n" : rawValue }
    }

    private let process = Process()
    let port: Int

    /// - Parameters:
    ///   - words: the server's words to each client.
    ///   - port: the port at which the server listens; any free port if 0.
    ///   - certificate: the files of a certificate and its key. With them, the server goes through
    ///     the handshake of TLS before it is silent.
    init(_ words: Words, port: Int = 0, certificate: (file: String, key: String)? = nil) throws {
        let script = """
            import socket, ssl, sys
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", int(sys.argv[1])))
            listener.listen(50)
            print(listener.getsockname()[1], flush=True)
            kept = []
            while True:
                client = listener.accept()[0]
                client.sendall(sys.argv[2].encode())
                if len(sys.argv) > 3:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(sys.argv[3], sys.argv[4])
                    client = context.wrap_socket(client, server_side=True)
                kept.append(client)
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["python3", "-c", script, "\(port)", words.text]
            + (certificate.map { [$0.file, $0.key] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            kill(process.processIdentifier, SIGKILL)
            throw ServerError(description: "the silent server did not start")
        }
        self.port = port
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        waitForEnd(of: process)
    }
}
#endif
