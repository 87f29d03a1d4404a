// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// The callback for a subscription whose messages libnats delivers on a thread of its own.
final class Listener: Sendable {
    private let hear: @Sendable (OpaquePointer) -> Void

    private init(_ hear: @escaping @Sendable (OpaquePointer) -> Void) { self.hear = hear }

    /// Subscribes. libnats holds a reference to `hear` until the subscription is complete.
    ///
    /// - Parameters:
    ///   - hear: receives each message, and has to destroy it.
    ///   - subscribe: makes the subscription, with the given callback and its context pointer.
    static func listen(
        _ hear: @escaping @Sendable (OpaquePointer) -> Void,
        _ subscribe: (natsMsgHandler, UnsafeMutableRawPointer) throws -> OpaquePointer
    ) throws -> OpaquePointer {
        let own = Unmanaged.passRetained(Listener(hear))
        let subscription: OpaquePointer
        do {
            subscription = try subscribe(
                { _, _, message, context in
                    guard let message, let context else { return }
                    Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue().hear(message)
                }, own.toOpaque())
        } catch {
            own.release()
            throw error
        }
        natsSubscription_SetOnCompleteCB(
            subscription,
            { context in
                guard let context else { return }
                Unmanaged<Listener>.fromOpaque(context).release()
            }, own.toOpaque())
        return subscription
    }
}
#endif
