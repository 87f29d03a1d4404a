// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
import Foundation
import SwitchyardCore

@testable import SwitchyardWeb

/// The answer of a server, as it came over the socket.
struct RawAnswer: Sendable {
    let status: Int
    let head: String
    let body: String

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.components(separatedBy: "\r\n\r\n")
        head = parts[0]
        body = parts.dropFirst().joined(separator: "\r\n\r\n")
        status = Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
    }

    /// The value of a header; nil without it.
    func header(_ name: String) -> String? {
        head.components(separatedBy: "\r\n")
            .first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

/// A client with a plain socket, which sends any bytes.
struct PageClient: Sendable {
    let port: UInt16

    /// A connected socket; nil if nobody listens at the address.
    func connect(to address: String = "127.0.0.1") -> FileHandle? {
        #if canImport(Glibc)
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let made = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &target.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(made, $0, size)
            }
        }
        // The client gives up on an answer that does not end.
        var patience = timeval(tv_sec: 40, tv_usec: 0)
        setsockopt(
            made, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let handle = FileHandle(fileDescriptor: made, closeOnDealloc: true)
        return result == 0 ? handle : nil
    }

    /// The next bytes; nil at the end, or when none come for some seconds.
    static func receive(from socket: FileHandle) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket.fileDescriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// Sends a text and reads until the server closes the connection, on a thread of its own.
    func send(_ text: String) async -> RawAnswer {
        await withCheckedContinuation { done in
            let thread = Thread {
                guard let socket = connect() else { return done.resume(returning: RawAnswer([])) }
                try? socket.write(contentsOf: Data(text.utf8))
                var answer: [UInt8] = []
                while let more = Self.receive(from: socket) { answer += more }
                done.resume(returning: RawAnswer(answer))
            }
            thread.start()
        }
    }

    /// Makes a request as the page would. The given headers replace or add headers; nil leaves one
    /// out.
    func request(
        _ method: String, _ path: String, _ changes: [String: String?] = [:], body: String = ""
    ) async -> RawAnswer {
        await send(text(method, path, changes, body: body))
    }

    func text(
        _ method: String, _ path: String, _ changes: [String: String?] = [:], body: String = ""
    ) -> String {
        var headers: [String: String?] = ["Host": "127.0.0.1:\(port)"]
        if method == "POST" {
            headers["Origin"] = "http://127.0.0.1:\(port)"
            headers["Content-Length"] = "\(body.utf8.count)"
        }
        headers.merge(changes) { $1 }
        let lines = headers.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { "\(name): \($0)\r\n" }
        }
        return "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)"
    }
}

/// A page of which every update is the same, and that remembers commands.
final class PlainContent: PageContent {
    /// The commands so far. Guarded by its own lock.
    let commands = Guarded<[String]>([])

    struct Updates: PageUpdates {
        var count = 0
        mutating func next(limit: Int) -> String? {
            count += 1
            return count <= 2 ? "{\"number\":\(count)}" : nil
        }
    }

    func updates() -> Updates { Updates() }

    func take(_ command: [UInt8]) -> Bool {
        let text = String(decoding: command, as: UTF8.self)
        commands.withLock { $0.append(text) }
        return text != "nonsense"
    }
}
#endif
