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

    /// Where messages go; libnats has a reference until the subscription is complete.
    private final class Listener: Sendable {
        let hear: @Sendable (OpaquePointer) -> Void
        init(_ hear: @escaping @Sendable (OpaquePointer) -> Void) { self.hear = hear }
    }

    /// - Parameter hear: is given a message that is valid until it returns.
    init(
        _ pattern: String, on connection: OpaquePointer,
        _ hear: @escaping @Sendable (OpaquePointer) -> Void
    ) throws {
        let listener = Unmanaged.passRetained(Listener(hear))
        var made: OpaquePointer?
        let status = natsConnection_Subscribe(
            &made, connection, pattern,
            { _, _, message, place in
                guard let message, let place else { return }
                Unmanaged<Listener>.fromOpaque(place).takeUnretainedValue().hear(message)
                natsMsg_Destroy(message)
            }, listener.toOpaque())
        guard status == NATS_OK, let handle = made else {
            listener.release()
            throw NATSError(status, "subscribe to \(pattern)")
        }
        self.handle = handle
        natsSubscription_SetOnCompleteCB(
            handle,
            { place in
                guard let place else { return }
                Unmanaged<Listener>.fromOpaque(place).release()
            }, listener.toOpaque())
    }

    deinit { natsSubscription_Destroy(handle) }
}
#endif
