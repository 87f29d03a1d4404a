// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A subscription whose messages libnats delivers on a thread of its own: those between processes,
/// and the stream's acknowledgements.
///
/// A ``Subscription`` would not do: libnats does not give the server's "no responders" messages to
/// code that takes messages by itself.
final class CallbackSubscription: @unchecked Sendable {
    // Sendable: libnats locks the object behind the pointer.
    private let handle: OpaquePointer

    /// - Parameter hear: receives each message, which is valid until `hear` returns.
    init(
        _ pattern: String, on connection: OpaquePointer,
        _ hear: @escaping @Sendable (OpaquePointer) -> Void
    ) throws {
        handle = try Listener.listen { message in
            hear(message)
            natsMsg_Destroy(message)
        } _: { callback, context in
            var made: OpaquePointer?
            let status = natsConnection_Subscribe(&made, connection, pattern, callback, context)
            guard status == NATS_OK, let made else {
                throw NATSError(status, "subscribe to \(pattern)")
            }
            return made
        }
        // No limit: a dropped message could not be told from one that never came.
        natsSubscription_SetPendingLimits(handle, -1, -1)
    }

    deinit { natsSubscription_Destroy(handle) }
}
#endif
