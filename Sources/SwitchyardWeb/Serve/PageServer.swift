// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import FlyingSocks
internal import Foundation

/// The server of one page, on the loopback interface.
///
/// The sockets are FlyingFox's. Its server is not used: that one takes headers of any length and
/// any number of connections.
package final class PageServer: Sendable {
    /// The limits of connections at a time, and of streams among them. Browsers open six at a time
    /// to a host: with six streams, a command would wait for ever.
    static let mostConnections = 64
    static let mostStreams = 5

    package let port: UInt16
    private let socket: Socket
    private let access: PageAccess
    private let content: any PageContent
    /// The user whose programs are let in.
    private let user: UInt32
    private let peers: PeerUser
    private let connections = OpenConnections(PageServer.mostConnections)
    private let streams = ConnectionSlots(PageServer.mostStreams)

    /// Listens.
    ///
    /// - Parameters:
    ///   - port: 0 for one that the system chooses.
    ///   - user: the one whose programs are let in, where the system says whose a connection is.
    /// - Throws: If the port is taken.
    package init(
        port: UInt16, _ content: any PageContent, user: UInt32 = UInt32(geteuid())
    ) throws {
        socket = try Socket(domain: AF_INET)
        self.user = user
        do {
            socket.closeInOtherPrograms()
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
        peers = PeerUser(connectedTo: self.port)
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
                socket.socket.closeInOtherPrograms()
                guard isLetIn(socket.socket),
                    let number = connections.enter({ socket.socket.shutDown() })
                else {
                    try? socket.close()
                    continue
                }
                group.addTask { [self] in
                    await PageConnection(socket, self) { self.connections.hasAsked(number) }.run()
                    connections.leave(number)
                    await Self.close(socket)
                }
            }
        }
    }

    /// Whether a program of the user is at the other end. Any other user of the machine reaches the
    /// port.
    private func isLetIn(_ socket: Socket) -> Bool {
        guard case .ip4("127.0.0.1", let peer) = try? socket.remotePeer() else { return false }
        return peers.isUser(user, at: peer)
    }

    /// Ends a connection at once, and frees its number a little later. FlyingSocks wakes the task
    /// that waits for a socket first, and takes it off its list of what to watch after that. If a
    /// new connection got the same number in between, it would seem to be watched already, and
    /// nobody would notice its request.
    private static func close(_ socket: AsyncSocket) async {
        socket.socket.shutDown()
        try? await Task.sleep(for: .milliseconds(100))
        try? socket.close()
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
    /// The reply to a request.
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

extension Socket {
    /// Programs that the tool starts do not inherit it.
    fileprivate func closeInOtherPrograms() { _ = fcntl(file.rawValue, F_SETFD, FD_CLOEXEC) }

    /// Ends the connection, so that the task that waits for it is woken.
    fileprivate func shutDown() { _ = shutdown(file.rawValue, Int32(SHUT_RDWR)) }
}
#endif
