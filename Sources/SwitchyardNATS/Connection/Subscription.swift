// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A subscription from which the connection's thread takes messages as soon as they have come. It
/// ends with its last reference.
final class Subscription: @unchecked Sendable {
    // Sendable: constant; libnats locks the object behind the pointer.
    private let handle: OpaquePointer
    private let session: NATSSession

    init(_ pattern: String, on session: NATSSession) throws {
        var made: OpaquePointer?
        try NATSError.check(
            natsConnection_SubscribeSync(&made, session.handle, pattern), "subscribe to \(pattern)")
        guard let handle = made else { throw NATSError("there is no memory for a subscription") }
        self.handle = handle
        self.session = session
        // No limit is needed: messages are taken before more is read, so at most one read's
        // messages wait.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    deinit { session.end(handle) }

    /// The number of messages that have come and were not taken.
    var waiting: Int {
        var count: UInt64 = 0
        return natsSubscription_QueuedMsgs(handle, &count) == NATS_OK ? Int(count) : 0
    }

    /// Takes all messages that have come. The caller destroys them.
    func takeAll() -> [OpaquePointer] {
        let count = waiting
        var messages: [OpaquePointer] = []
        messages.reserveCapacity(count)
        for _ in 0..<count {
            guard let message = next() else { break }
            messages.append(message)
        }
        return messages
    }

    /// Takes the next message. The caller destroys it.
    func next() -> OpaquePointer? {
        var message: OpaquePointer?
        return natsSubscription_NextMsg(&message, handle, 0) == NATS_OK ? message : nil
    }
}
#endif
