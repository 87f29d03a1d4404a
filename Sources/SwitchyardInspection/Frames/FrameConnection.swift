// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardWire

/// A connection between a tool and a process, for one thread at each end, which waits.
final class FrameConnection {
    private let descriptor: Int32
    private var splitter: FrameSplitter
    private var writer = ByteWriter()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 64 * 1024, alignment: 16)
    /// The longest time for which the other end may take nothing, in milliseconds.
    private static let patience: Int32 = 10_000

    /// Takes over a connected, non-blocking socket.
    init(_ descriptor: Int32, longestFrame: Int) {
        self.descriptor = descriptor
        splitter = FrameSplitter(limit: longestFrame)
        _ = switchyard_fork_closes(descriptor)
    }

    deinit {
        switchyard_fork_close(descriptor)
        buffer.deallocate()
    }

    /// Ends the connection, before this is released: the other end learns of it, and what is sent
    /// or received later fails.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Whether something comes from the other end within a time.
    func hasMore(within milliseconds: Int32) throws -> Bool {
        try wait(for: Int16(POLLIN), milliseconds)
    }

    /// Sends what `body` writes.
    func send(_ body: (inout ByteWriter) -> Void) throws {
        writer.removeAll(keepingCapacity: false)
        body(&writer)
        try writer.withBytes { try sendAll($0) }
    }

    private func sendAll(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let sent = switchyard_socket_send(descriptor, rest.baseAddress, rest.count)
            if sent > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
            } else if !Self.isTemporary(sent) {
                throw InspectionError("the other end has gone", Int32(-sent))
            } else if try !wait(for: Int16(POLLOUT), Self.patience) {
                throw InspectionError("the other end has taken nothing for 10 seconds")
            }
        }
    }

    /// Waits for the next bytes, and calls `body` with each frame that they complete.
    ///
    /// - Parameter milliseconds: the longest wait; -1 for any.
    func receive(
        within milliseconds: Int32 = -1, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard try wait(for: Int16(POLLIN), milliseconds) else {
            throw InspectionError.silent
        }
        guard let start = buffer.baseAddress else { return }
        let count = switchyard_socket_receive(descriptor, start, buffer.count)
        if count == 0 { throw InspectionError.gone }
        if count < 0 {
            if Self.isTemporary(count) { return }
            throw InspectionError("the connection is broken", Int32(-count))
        }
        try splitter.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { _, frame in
            try body(frame)
        }
    }

    private static func isTemporary(_ result: Int) -> Bool {
        [-EAGAIN, -EINTR].contains(Int32(result))
    }

    /// Waits, but no longer than the other end is there.
    ///
    /// - Returns: Whether it has gone.
    func pause(microseconds: UInt32) -> Bool {
        usleep(microseconds)
        var event = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&event, 1, 0) > 0 && event.revents & Int16(POLLHUP | POLLERR) != 0
    }

    private func wait(for events: Int16, _ milliseconds: Int32) throws -> Bool {
        var event = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let count = poll(&event, 1, milliseconds)
            if count > 0 { return true }
            if count == 0 { return false }
            if errno != EINTR { throw InspectionError("can't wait", errno) }
        }
    }
}
