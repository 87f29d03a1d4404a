// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// What hears the messages of a subscription for which libnats has a thread.
final class Listener: Sendable {
    private let hear: @Sendable (OpaquePointer) -> Void

    private init(_ hear: @escaping @Sendable (OpaquePointer) -> Void) { self.hear = hear }

    /// Subscribes. libnats has a reference to `hear` until the subscription is complete.
    ///
    /// - Parameters:
    ///   - hear: is given messages, each to be destroyed by it.
    ///   - subscribe: subscribes, with what libnats is to call and to pass along.
    static func listen(
        _ hear: @escaping @Sendable (OpaquePointer) -> Void,
        _ subscribe: (natsMsgHandler, UnsafeMutableRawPointer) throws -> OpaquePointer
    ) throws -> OpaquePointer {
        let own = Unmanaged.passRetained(Listener(hear))
        let subscription: OpaquePointer
        do {
            subscription = try subscribe(
                { _, _, message, place in
                    guard let message, let place else { return }
                    Unmanaged<Listener>.fromOpaque(place).takeUnretainedValue().hear(message)
                }, own.toOpaque())
        } catch {
            own.release()
            throw error
        }
        natsSubscription_SetOnCompleteCB(
            subscription,
            { place in
                guard let place else { return }
                Unmanaged<Listener>.fromOpaque(place).release()
            }, own.toOpaque())
        return subscription
    }
}
#endif
