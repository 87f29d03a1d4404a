// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The number of deliveries that may wait for an observer, and the policy for more.
///
/// ```swift
/// center.observe(Sample.self, on: .thread(worker), options: .bounded(.dropOldest(above: 100))) { … }
/// ```
/// A bound counts the deliveries that wait for one observation: a flood for one observer takes no
/// room from another. Every loss shows in the receipt of the post that caused it, in the center's
/// snapshot, and, before the next delivery that follows the gap, in `onLag`.
///
/// Without a bound nothing is lost. On the posting thread's context nothing waits, so there a bound
/// has no effect.
public struct DeliveryBound: Sendable {
    /// The policy for a delivery that finds no room.
    enum Overflow: Sendable {
        case dropOldest
        case dropNewest
        /// The newest delivery of each key stays. The key is nil in a bound without the user's code
        /// (``DeliveryBound/withoutCallbacks``).
        case keepLatest(DeliveryKey?)
        case refuse
        case wait
    }

    private(set) var overflow: Overflow
    /// The number of deliveries that may wait: one at least. A bound with a limit of zero or less
    /// is a programmer's error, and traps.
    public let limit: Int
    /// Called with the number of deliveries that were lost, where the handler is called, right
    /// before the delivery that follows them. It belongs to that delivery: if it ends the
    /// observation, the handler may still be called for that.
    ///
    /// With ``wait(above:)``, a delivery that is refused while posts wait for room is told of before
    /// the first of them.
    public var onLag: (@Sendable (Int) -> Void)?

    private init(_ overflow: Overflow, _ limit: Int) {
        Misuse.unless(limit > 0, "a bound leaves room for one delivery at least, not for \(limit)")
        self.overflow = overflow
        self.limit = limit
    }

    /// Drops the delivery that has waited longest.
    public static func dropOldest(above limit: Int) -> DeliveryBound {
        DeliveryBound(.dropOldest, limit)
    }

    /// Drops the new delivery.
    public static func dropNewest(above limit: Int) -> DeliveryBound {
        DeliveryBound(.dropNewest, limit)
    }

    /// Keeps one waiting delivery per key: a new one replaces the old and moves to the back. Beyond
    /// `limit` keys, drops the oldest.
    ///
    /// Not together with a ``DeliveryPace``, which keeps the latest delivery anyway: an observation
    /// with both traps.
    ///
    /// - Parameters:
    ///   - limit: the number of deliveries that may wait.
    ///   - key: the key of a message, or of a `Notification`, as the handler gets it. Called on the
    ///     posting thread, and compared on others.
    public static func keepLatest<Payload, Key: Hashable & Sendable>(
        above limit: Int = 100_000, per key: @escaping @Sendable (Payload) -> Key
    ) -> DeliveryBound {
        DeliveryBound(.keepLatest(DeliveryKey(key)), limit)
    }

    /// Refuses the new delivery: the post's receipt counts it as `refused`, for posters that look.
    public static func refuse(above limit: Int) -> DeliveryBound {
        DeliveryBound(.refuse, limit)
    }

    /// Has `postAndWait` and `postWhenRoom` wait for room, and refuses the deliveries of other
    /// posts. Waiting posts get room in the order in which they came, and no other post gets any
    /// before them. A delivery that a ``DeliveryPace`` has put off waits for room as well, however
    /// it was posted; while it does, a newer one takes its place.
    public static func wait(above limit: Int) -> DeliveryBound {
        DeliveryBound(.wait, limit)
    }

    /// Returns this bound with `onLag`, which is told the number of lost deliveries.
    public func onLag(_ onLag: @escaping @Sendable (Int) -> Void) -> DeliveryBound {
        var bound = self
        bound.onLag = onLag
        return bound
    }

    var key: DeliveryKey? {
        guard case .keepLatest(let key) = overflow else { return nil }
        return key
    }

    /// This bound without the user's code.
    var withoutCallbacks: DeliveryBound {
        with(BoundCallbacks(key: nil, onLag: nil))
    }

    /// Returns this bound with other code of the user's.
    func with(_ callbacks: BoundCallbacks) -> DeliveryBound {
        var bound = self
        if case .keepLatest = overflow { bound.overflow = .keepLatest(callbacks.key) }
        bound.onLag = nil
        if let hook = callbacks.onLag { bound.onLag = { hook.call($0) } }
        return bound
    }

    /// The callbacks of the bound, which go with the observation.
    var callbacks: BoundCallbacks { BoundCallbacks(key: key, onLag: onLag.map { Callback($0) }) }
}

/// The user's code in a bound.
struct BoundCallbacks: Sendable {
    let key: DeliveryKey?
    let onLag: Callback<Int>?
}

/// The key function of a bound. Deliveries with equal keys replace each other.
@_spi(Engine) public final class DeliveryKey: Sendable {
    /// The type of payload that the key is taken from.
    let payload: Any.Type
    private let key: @Sendable (Any) -> AnyHashable?

    init<Payload, Key: Hashable & Sendable>(_ key: @escaping @Sendable (Payload) -> Key) {
        payload = Payload.self
        self.key = { ($0 as? Payload).map { AnyHashable(key($0)) } }
    }

    package func callAsFunction(_ payload: Any) -> AnyHashable? { key(payload) }
}
