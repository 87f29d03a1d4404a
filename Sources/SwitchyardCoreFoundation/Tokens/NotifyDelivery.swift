// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyardCoreFoundation
internal import Foundation

/// The way in which a registration hears of posts.
enum NotifyDelivery: Sendable {
    /// The program is not told: it asks.
    case none
    /// A signal to this process.
    case signal(Int32)
    /// The token, written to a pipe.
    case pipe(NotifyPipe)
    /// A call of a handler.
    case handler(NotifyHandler)

    /// Whether a delivery must not overlap the next.
    var takesTime: Bool {
        if case .handler(let handler) = self { handler.takesTime } else { false }
    }

    var isNone: Bool {
        if case .none = self { true } else { false }
    }
}

/// A pipe for tokens. Closed with the last registration that uses it.
final class NotifyPipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(NotifyError) {
        var ends: [Int32] = [-1, -1]
        guard switchyard_pipe(&ends) else {
            throw .failed("no pipe can be made: \(String(cString: strerror(errno)))")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        // Only this end does not block: the program may want to wait at the other one.
        _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Writes the token in network byte order, as Apple's do, unless the pipe is full.
    ///
    /// All four bytes or none: pipes don't divide so few.
    func write(_ token: Int32) { switchyard_pipe_write(writeEnd, token) }
}

/// A program's handler, with the way to its queue.
final class NotifyHandler: @unchecked Sendable {
    // Sendable: constant; the handler is called on the queue that its program chose for it.

    /// Has some work done on the queue.
    let enqueue: (@escaping @Sendable () -> Void) -> Void
    let call: (_ token: Int32) -> Void
    /// Whether a call must not overlap the next, so that posts meanwhile lead to one call after it.
    let takesTime: Bool

    init(
        takesTime: Bool = true, enqueue: @escaping (@escaping @Sendable () -> Void) -> Void,
        call: @escaping (_ token: Int32) -> Void
    ) {
        self.takesTime = takesTime
        self.enqueue = enqueue
        self.call = call
    }
}
#endif
