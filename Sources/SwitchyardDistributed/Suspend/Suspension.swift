// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The suspension of a center: the notifications that it keeps, and their delivery.
///
/// Everything that arrives while the center is suspended goes through ``take(_:_:_:size:isImmediate:)``. One
/// thread at a time delivers the held notifications, so that the order is kept as well.
final class Suspension: Sendable {
    // The form in which an observation stores its
    // ``DistributedNotificationCenter/SuspensionBehavior``: the most common behaviour is zero.
    static let coalesce: UInt8 = 0
    static let drop: UInt8 = 1
    static let hold: UInt8 = 2
    static let deliverImmediately: UInt8 = 3

    private struct State: Sendable {
        var isSuspended = false
        /// Whether a thread is delivering held notifications.
        var isDelivering = false
        var held = HeldNotifications()
    }

    private let engine: NotificationEngine
    private let state = Guarded(State())
    /// Whether a notification may have to be held. Read by every delivery.
    private let mayHold = Atomic<Bool>(false)

    init(engine: NotificationEngine) { self.engine = engine }

    /// Whether deliveries have to go through ``take(_:_:_:size:isImmediate:)``.
    @inline(__always)
    var isSuspended: Bool { mayHold.load(ordering: .acquiring) }

    /// Whether the user suspended the center.
    var wasAskedFor: Bool { state.withLock(\.isSuspended) }

    func suspend() {
        state.withLock { $0.isSuspended = true }
        mayHold.store(true, ordering: .releasing)
    }

    /// Delivers held notifications; after that, each is delivered when it comes.
    func resume() {
        state.withLock { $0.isSuspended = false }
        deliverHeld()
    }

    /// Delivers or holds a notification that arrives.
    func take(
        _ payload: NamedPayload, _ topic: Topic, _ subject: Subject, size: Int, isImmediate: Bool
    ) {
        let wishes = wishes(topic, subject)
        let isImmediate = isImmediate || wishes.contains(Self.deliverImmediately)
        // Only observers that get all notifications need more than the last one.
        let isHeldWhole = wishes.contains(Self.hold)
        let isKept = isHeldWhole || wishes.contains(Self.coalesce)
        let lastRegistration = engine.lastRegistration
        let (waits, givenUp) = state.withLock { state in
            // A notification that comes after the resumption only waits for its turn behind those
            // held.
            let isForAll = isImmediate || !state.isSuspended
            // No observer wants it kept, and later observers would not get it: drop it.
            if !isForAll, !isKept { return (true, 0) }
            let givenUp = state.held.append(
                HeldNotification(
                    payload: payload, topic: topic, subject: subject,
                    lastRegistration: lastRegistration, isForAll: isForAll, size: size),
                keepsOlder: isHeldWhole)
            return (!isForAll, givenUp)
        }
        if givenUp > 0 { report(givenUp) }
        if !waits { deliverHeld() }
    }

    private func report(_ givenUp: Int) {
        engine.report(
            DeliveryProblem(
                .distributedLoss,
                "more than \(HeldNotifications.most) notifications or "
                    + "\(HeldNotifications.mostBytes) bytes are held, because the center is suspended, "
                    + "or its observers are still catching up: \(givenUp) were dropped, superseded "
                    + "ones first, then the oldest",
                count: givenUp))
    }

    /// The number of held notifications.
    var count: Int { state.withLock(\.held.count) }

    /// Returns the suspension behaviours of all observers of a topic and subject.
    private func wishes(_ topic: Topic, _ subject: Subject) -> Wishes {
        var wishes = Wishes()
        _ = engine.isObserved(topic, subject) {
            wishes.insert($0.suspension)
            return false
        }
        return wishes
    }

    /// A set of suspension behaviours.
    private struct Wishes {
        private var bits: UInt8 = 0
        mutating func insert(_ behavior: UInt8) { bits |= 1 << behavior }
        func contains(_ behavior: UInt8) -> Bool { bits & 1 << behavior != 0 }
    }

    /// Delivers held notifications in the order of arrival, including those that come meanwhile.
    /// Returns at once if another thread, or a call further up the stack, is delivering already:
    /// that one then delivers these as well.
    private func deliverHeld() {
        while true {
            let due = state.withLock { state -> [HeldNotification] in
                if state.isDelivering { return [] }
                // While the center is suspended, only those up to the last that is for all are due.
                let due = state.isSuspended ? state.held.takeUpToLastForAll() : state.held.takeAll()
                state.isDelivering = !due.isEmpty
                if due.isEmpty, !state.isSuspended { mayHold.store(false, ordering: .releasing) }
                return due
            }
            if due.isEmpty { return }
            for entry in due {
                _ = engine.post(
                    entry.payload, Posting(entry.topic, about: entry.subject), where: entry.admits)
            }
            state.withLock { $0.isDelivering = false }
        }
    }
}
