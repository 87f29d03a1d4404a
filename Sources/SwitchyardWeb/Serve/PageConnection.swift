// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import FlyingSocks
internal import Foundation

/// A connection of a browser: one request and its answer.
struct PageConnection: Sendable {
    /// The longest time that a request may take to come. Until then nobody knows whose it is.
    private static let patienceForRequest = Duration.seconds(2)
    /// The longest time that a part of an answer may take to go.
    private static let patience = Duration.seconds(10)
    /// The shortest time between two parts of a stream.
    static let pace = Duration.milliseconds(250)
    /// The most bytes of a part.
    static let longestPart = 20 * 1024
    /// The number of parts in a row that may be missing. Then a comment is sent, so that both
    /// ends notice when the other has gone.
    private static let longestSilence = 20

    private let socket: AsyncSocket
    private let server: PageServer
    private let hasAsked: @Sendable () -> Void

    /// - Parameter hasAsked: called when the request is complete.
    init(
        _ socket: AsyncSocket, _ server: PageServer, hasAsked: @escaping @Sendable () -> Void
    ) {
        (self.socket, self.server, self.hasAsked) = (socket, server, hasAsked)
    }

    /// Returns when everything was said, or the other end has gone.
    func run() async {
        do {
            let request = try await Self.inTime(Self.patienceForRequest) { try await read() }
            hasAsked()
            switch try server.reply(to: request) {
            case .answer(let answer): try await write(answer.bytes)
            case .stream(let updates):
                defer { server.endStream() }
                try await stream(updates)
            }
        } catch let refusal as PageRefusal {
            try? await write(PageAnswer(refusal).bytes)
            await drain()
        } catch {
            // The browser has gone, or is too slow: nobody is left to be told.
        }
    }

    private func read() async throws -> PageRequest {
        var reader = RequestReader()
        while true {
            if let request = try reader.take(try await socket.read(atMost: 4096)) {
                return request
            }
        }
    }

    /// Reads a little more of a request that was refused: a connection that is closed while bytes
    /// wait in it is reset, and then the other end does not see the answer.
    private func drain() async {
        try? await Self.inTime(.milliseconds(200)) {
            _ = shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
            for _ in 0..<256 { _ = try await socket.read(atMost: 4096) }
        }
    }

    private func write(_ bytes: [UInt8]) async throws {
        try await Self.inTime { try await socket.write(Data(bytes)) }
    }

    /// Sends updates until the other end has gone.
    private func stream(_ updates: some PageUpdates) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // A browser that has asked says nothing more.
            group.addTask { while true { _ = try await socket.read(atMost: 4096) } }
            group.addTask { try await send(updates) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func send(_ start: some PageUpdates) async throws {
        var updates = start
        try await write(PageAnswer.stream.bytes)
        var silence = 0
        while true {
            if let part = updates.next(limit: Self.longestPart) {
                try await write(Array("data: \(part)\n\n".utf8))
                silence = 0
            } else {
                silence += 1
            }
            if silence >= Self.longestSilence {
                try await write(Array(":\n\n".utf8))
                silence = 0
            }
            try await Task.sleep(for: Self.pace)
        }
    }

    /// Does something that must not take too long.
    private static func inTime<Result: Sendable>(
        _ limit: Duration = patience, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }
}
#endif
