// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// What a suspended center keeps, and for whom.
///
/// Everything that arrives while it is suspended goes through ``take(_:_:_:size:isImmediate:)``, and what is
/// kept is delivered by one thread at a time, so that order is kept as well.
final class Suspension: Sendable {
    // What an observation keeps of ``DistributedNotificationCenter/SuspensionBehavior``: the most
    // common is zero.
    static let coalesce: UInt8 = 0
    static let drop: UInt8 = 1
    static let hold: UInt8 = 2
    static let deliverImmediately: UInt8 = 3

    private struct State: Sendable {
        var isSuspended = false
        /// Whether a thread delivers what was held.
        var isDelivering = false
        var held = HeldNotifications()
    }

    private let engine: NotificationEngine
    private let state = Guarded(State())
    /// Whether anything may have to be held: read by every delivery.
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

    /// Delivers what was held; from then on, everything is delivered as it comes.
    func resume() {
        state.withLock { $0.isSuspended = false }
        deliverHeld()
    }

    /// Delivers or holds what arrives.
    func take(
        _ payload: NamedPayload, _ topic: Topic, _ subject: Subject, size: Int, isImmediate: Bool
    ) {
        let wishes = wishes(topic, subject)
        let isImmediate = isImmediate || wishes.contains(Self.deliverImmediately)
        // Only those who get all of them need more than the last.
        let isHeldWhole = wishes.contains(Self.hold)
        let isKept = isHeldWhole || wishes.contains(Self.coalesce)
        let lastRegistration = engine.lastRegistration
        let (waits, givenUp) = state.withLock { state in
            // What comes after the resumption only waits for its turn behind what was held.
            let isForAll = isImmediate || !state.isSuspended
            // Who observes later does not get it.
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
                    + "\(HeldNotifications.mostBytes) bytes are held, because the center is "
                    + "suspended, or was and its observers do not keep up: \(givenUp) of the oldest "
                    + "were given up",
                count: givenUp))
    }

    /// How many notifications are held.
    var count: Int { state.withLock(\.held.count) }

    /// What those who observe this want to become of it.
    private func wishes(_ topic: Topic, _ subject: Subject) -> Wishes {
        var wishes = Wishes()
        _ = engine.isObserved(topic, subject) {
            wishes.insert($0.suspension)
            return false
        }
        return wishes
    }

    /// Some of the ways to behave.
    private struct Wishes {
        private var bits: UInt8 = 0
        mutating func insert(_ behavior: UInt8) { bits |= 1 << behavior }
        func contains(_ behavior: UInt8) -> Bool { bits & 1 << behavior != 0 }
    }

    /// Delivers what is held, in the order of arrival, and what comes in the meantime. Where another
    /// thread, or a call further up, does so already, it goes on to do it.
    private func deliverHeld() {
        while true {
            let due = state.withLock { state -> [HeldNotification] in
                if state.isDelivering { return [] }
                // While the center is suspended, what is due ends with the last that is for all.
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
