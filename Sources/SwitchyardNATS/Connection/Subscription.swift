// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A subscription from which the connection's thread takes messages as soon as they have come.
final class Subscription: @unchecked Sendable {
    // Sendable: libnats locks the object behind the pointer.
    private let handle: OpaquePointer

    init(_ pattern: String, on connection: OpaquePointer) throws {
        var made: OpaquePointer?
        try NATSError.check(
            natsConnection_SubscribeSync(&made, connection, pattern), "subscribe to \(pattern)")
        guard let handle = made else { throw NATSError("there is no memory for a subscription") }
        self.handle = handle
        // No limit is needed: messages are taken before more is read, so at most one read's
        // messages wait.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    // Destroying the subscription tells the server to end it.
    deinit { natsSubscription_Destroy(handle) }

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
