// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A subscription whose messages libnats delivers on a thread of its own: those between processes,
/// the stream's acknowledgements, and the stream's notifications for durable observers.
///
/// A ``Subscription`` would not do: libnats does not give the server's "no responders" messages to
/// code that takes messages by itself. The subscription ends with its last reference.
final class CallbackSubscription: @unchecked Sendable {
    // Sendable: constant; libnats locks the object behind the pointer.
    private let handle: OpaquePointer
    private let session: NATSSession

    /// - Parameter hear: receives each message, which is valid until `hear` returns.
    convenience init(
        _ pattern: String, on session: NATSSession,
        _ hear: @escaping @Sendable (OpaquePointer) -> Void
    ) throws {
        try self.init(of: pattern, session) { message in
            hear(message)
            natsMsg_Destroy(message)
        }
    }

    /// Returns a subscription whose messages belong to the code that receives them.
    ///
    /// Not an initializer: a closure behind the parentheses would not say which one it is for.
    ///
    /// - Parameter take: receives each message, and has to destroy it.
    static func taking(
        _ pattern: String, on session: NATSSession,
        _ take: @escaping @Sendable (OpaquePointer) -> Void
    ) throws -> CallbackSubscription {
        try CallbackSubscription(of: pattern, session, take)
    }

    private init(
        of pattern: String, _ session: NATSSession,
        _ take: @escaping @Sendable (OpaquePointer) -> Void
    ) throws {
        self.session = session
        handle = try Listener.listen(take) { callback, context in
            var made: OpaquePointer?
            let status = natsConnection_Subscribe(&made, session.handle, pattern, callback, context)
            guard status == NATS_OK, let made else {
                throw NATSError(status, "subscribe to \(pattern)")
            }
            return made
        }
        // No limit: a dropped message could not be told from one that never came.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    deinit { session.end(handle) }
}
#endif
