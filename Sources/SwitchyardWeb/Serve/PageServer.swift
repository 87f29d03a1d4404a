// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import FlyingSocks
internal import Foundation

/// The server of one page, on the loopback interface.
///
/// The sockets are FlyingFox's. Its server is not used: that one takes headers of any length and
/// any number of connections.
package final class PageServer: Sendable {
    /// The most connections at a time, and how many of them may be streams.
    static let mostConnections = 64
    static let mostStreams = 8

    package let port: UInt16
    private let socket: Socket
    private let access: PageAccess
    private let content: any PageContent
    private let connections = Places(PageServer.mostConnections)
    private let streams = Places(PageServer.mostStreams)

    /// Listens.
    ///
    /// - Parameter port: 0 for one that the system chooses.
    /// - Throws: If the port is taken.
    package init(port: UInt16, _ content: any PageContent) throws {
        socket = try Socket(domain: AF_INET)
        do {
            try socket.setValue(true, for: .localAddressReuse)
            try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
            try socket.listen()
            guard case .ip4(_, let own) = try socket.sockname() else {
                throw SocketError.unsupportedAddress
            }
            self.port = own
        } catch {
            try? socket.close()
            throw error
        }
        access = PageAccess(port: self.port)
        self.content = content
    }

    deinit { try? socket.close() }

    /// The address that lets a browser in, once.
    package var address: String { "http://127.0.0.1:\(port)/#\(access.token.text)" }

    /// Answers requests until the task is cancelled.
    package func serve() async throws {
        try await serve(.make())
    }

    private func serve(_ pool: some AsyncSocketPool) async throws {
        try await pool.prepare()
        let listener = try AsyncSocket(socket: socket, pool: pool)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await pool.run() }
            while !Task.isCancelled {
                guard let socket = try await Self.next(listener) else { continue }
                guard connections.enter() else {
                    try? socket.close()
                    continue
                }
                group.addTask { [self] in
                    await PageConnection(socket, self).run()
                    try? socket.close()
                    connections.leave()
                }
            }
        }
    }

    /// The next connection; nil if the system is short of something, which is then waited for.
    private static func next(_ listener: AsyncSocket) async throws -> AsyncSocket? {
        do {
            return try await listener.accept()
        } catch let error as SocketError {
            if case .disconnected = error { throw error }
            try await Task.sleep(for: .milliseconds(100))
            return nil
        }
    }
}

extension PageServer {
    /// What is done with a request.
    enum Reply {
        case answer(PageAnswer)
        /// A stream of updates. endStream() is called after it.
        case stream(any PageUpdates)
    }

    func reply(to request: PageRequest) throws(PageRefusal) -> Reply {
        try access.check(request)
        if let path = try access.pathInRoom(request) {
            return try reply(to: request, inRoom: path)
        }
        if request.path == "/enter" {
            guard request.method == "POST" else { throw .wrongMethod }
            guard let cookie = access.cookie(for: request.body) else { throw .unknown }
            return .answer(
                PageAnswer(
                    type: "text/plain; charset=utf-8", body: Array(access.roomPath.utf8),
                    headers: ["Set-Cookie: \(cookie)"]))
        }
        guard let file = PageFile.answer(request.path) else { throw .notFound }
        guard request.method == "GET" else { throw .wrongMethod }
        return .answer(file)
    }

    private func reply(
        to request: PageRequest, inRoom path: Substring
    ) throws(PageRefusal) -> Reply {
        switch (request.method, path) {
        case ("GET", "updates"):
            guard streams.enter() else { throw .full }
            return .stream(content.updates())
        case ("POST", "command"):
            guard content.take(request.body) else { throw .malformed }
            return .answer(PageAnswer(type: "text/plain; charset=utf-8", body: []))
        case (_, "updates"), (_, "command"): throw .wrongMethod
        default: throw .notFound
        }
    }

    func endStream() { streams.leave() }
}
#endif
