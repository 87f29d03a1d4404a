// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// A subscription to what processes say to each other, heard on a thread of libnats.
///
/// Not as ``Subscription``: to who takes messages by itself, libnats does not give those with which a
/// server says that nobody is there.
final class PeerSubscription: @unchecked Sendable {
    // Sendable: libnats locks what is behind the pointer.
    private let handle: OpaquePointer

    /// - Parameter hear: is given a message that is valid until it returns.
    init(
        _ pattern: String, on connection: OpaquePointer,
        _ hear: @escaping @Sendable (OpaquePointer) -> Void
    ) throws {
        handle = try Listener.listen { message in
            hear(message)
            natsMsg_Destroy(message)
        } _: { callback, place in
            var made: OpaquePointer?
            let status = natsConnection_Subscribe(&made, connection, pattern, callback, place)
            guard status == NATS_OK, let made else {
                throw NATSError(status, "subscribe to \(pattern)")
            }
            return made
        }
    }

    deinit { natsSubscription_Destroy(handle) }
}
#endif
