// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The suspension of a center: the notifications that it keeps, and their delivery.
///
/// Everything that arrives while the center is suspended goes through
/// ``take(_:_:_:size:isImmediate:)``. One thread at a time delivers the held notifications, so that
/// the order is kept as well.
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
        /// The notifications that are being delivered.
        var due = FIFO<HeldNotification>()

        /// Takes the next notification to deliver. While the center is suspended, only those up to
        /// the last that is for all are due.
        mutating func takeNext() -> HeldNotification? {
            if due.isEmpty {
                for entry in isSuspended ? held.takeUpToLastForAll() : held.takeAll() {
                    due.append(entry)
                }
            }
            return due.popFirst()
        }
    }

    private let engine: NotificationEngine
    private let state = Guarded(State())
    /// Whether a notification may have to be held. Read by every delivery.
    private let mayHold = Atomic<Bool>(false)

    /// Called once the held notifications have been delivered after a resumption, on the delivering
    /// thread.
    private let wereDelivered: @Sendable () -> Void

    init(engine: NotificationEngine, wereDelivered: @escaping @Sendable () -> Void) {
        self.engine = engine
        self.wereDelivered = wereDelivered
    }

    /// Whether deliveries have to go through ``take(_:_:_:size:isImmediate:)``.
    @inline(__always)
    var isSuspended: Bool { mayHold.load(ordering: .acquiring) }

    /// Whether the user suspended the center.
    var wasAskedFor: Bool { state.withLock(\.isSuspended) }

    /// Suspends the center, or ends its suspension: ``resume()`` then delivers what is held.
    func set(_ isSuspended: Bool) {
        state.withLock { $0.isSuspended = isSuspended }
        if isSuspended { mayHold.store(true, ordering: .releasing) }
    }

    /// Delivers held notifications; after that, each is delivered when it comes.
    func resume() { deliverHeld() }

    /// Delivers or holds a notification that arrives.
    ///
    /// - Parameters:
    ///   - audience: the observers that hear it, if it is kept for others that come late.
    ///   - whenOver: called once it was delivered or dropped.
    /// - Returns: Whether it is delivered or held: false if no observer wants it while the center
    ///   is suspended. Then `whenOver` is not called.
    @discardableResult
    func take(
        _ payload: NamedPayload, _ topic: Topic, _ subject: Subject, size: Int, isImmediate: Bool,
        for audience: Audience = Audience(),
        whenOver: HeldNotification.WhenOver? = nil
    ) -> Bool {
        let wishes = wishes(for: payload, topic, subject, audience)
        let isImmediate = isImmediate || wishes.wantsIt(Self.deliverImmediately)
        // Another process is chosen for a group whose members here don't want it.
        if audience.groups.only != nil, wishes.isEmpty { return false }
        let isKept = wishes.wantsIt(Self.hold) || wishes.wantsIt(Self.coalesce)
        let lastRegistration = engine.lastRegistration
        let (isTaken, waits, givenUp, dropped) = state.withLock {
            state -> (Bool, Bool, Int, [DroppedNotification]) in
            // A notification that comes after the resumption only waits for its turn behind those
            // held.
            let isForAll = isImmediate || !state.isSuspended
            // No observer wants it kept, and later observers would not get it: drop it.
            if !isForAll, !isKept { return (false, true, 0, []) }
            let givenUp = state.held.append(
                HeldNotification(
                    payload: payload, topic: topic, subject: subject,
                    lastRegistration: lastRegistration, audience: audience, whenOver: whenOver,
                    latestFor: wishes.conditional,
                    isForAll: isForAll, size: size),
                keepsOlder: wishes.someGetAll)
            return (true, !isForAll, givenUp, state.held.takeDropped())
        }
        // The payloads end last: their end is the user's code, and may end the thread.
        withExtendedLifetime(dropped) {
            for notification in dropped { notification.tell() }
            if givenUp > 0 { report(givenUp) }
            if !waits { deliverHeld() }
        }
        return isTaken
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

    /// Whether observers that hear the latest value first must not hear one now: because one of
    /// them is suspended, or because held notifications are being delivered, which a value must not
    /// overtake.
    func delaysLatestValue(_ topic: Topic, _ subject: Subject) -> Bool {
        guard isSuspended else { return false }
        return state.withLock { $0.isDelivering || !$0.isSuspended }
            || engine.isObserved(topic, subject) {
                $0.replaysLatest && $0.suspension != Self.deliverImmediately
            }
    }

    /// The number of held notifications.
    var count: Int { state.withLock(\.held.count) }

    // MARK: - The observers' wishes

    /// Returns the wishes of all observers of a topic and subject for a payload. Calls their
    /// conditions.
    private func wishes(
        for payload: NamedPayload, _ topic: Topic, _ subject: Subject, _ audience: Audience
    ) -> Wishes {
        var wishes = Wishes()
        _ = engine.isObserved(topic, subject) {
            if audience.groups.admit($0.groupName) { wishes.insert($0, payload) }
            return false
        }
        return wishes
    }

    /// The observers' wishes for a notification.
    private struct Wishes {
        /// The suspension behaviours of the observers that want it, as bits.
        private var behaviours: UInt8 = 0
        /// Whether observers get all notifications, not only the last: they need the earlier ones,
        /// too.
        private(set) var someGetAll = false
        /// The observers with a condition, which it fulfils, that get only the last notification.
        private(set) var conditional: Set<UInt64> = []

        mutating func insert(_ observation: Observation, _ payload: NamedPayload) {
            let behaviour = observation.suspension
            if behaviour == Suspension.hold { someGetAll = true }
            guard observation.isWanted(payload) else { return }
            behaviours |= 1 << behaviour
            if behaviour == Suspension.coalesce, observation.hasCondition {
                conditional.insert(observation.sequence)
            }
        }

        var isEmpty: Bool { behaviours == 0 }

        func wantsIt(_ behaviour: UInt8) -> Bool { behaviours & 1 << behaviour != 0 }
    }

    // MARK: - Delivering

    /// Delivers held notifications in the order of arrival, including those that come meanwhile.
    /// Returns at once if another thread, or a call further up the stack, is delivering already:
    /// that one then delivers these as well.
    private func deliverHeld() {
        let begins = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        // The thread is the user's, and others may post for ever.
        if begins {
            goOnDelivering(atMost: state.withLock { $0.due.count + $0.held.count } + 1_000)
        }
    }

    /// Delivers, as the only thread that does so. Beyond a number of notifications, another thread
    /// goes on.
    private func goOnDelivering(atMost count: Int) {
        let end = DeliveryEnd(self)
        ThreadEnd.notify(end)
        defer { ThreadEnd.forget(end) }
        for _ in 0..<count {
            guard let entry = next() else {
                if !isSuspended { wereDelivered() }
                return
            }
            entry.audience.value?.beginDelivery()
            deliver(entry)
        }
        goOnElsewhere()
    }

    /// Hands the delivering over to a thread of its own: none that posts meanwhile is to take it
    /// on, and the threads of a pool may all be blocked.
    private func goOnElsewhere() {
        let error = SystemThread.tryToStart("sw-resumption", stackBytes: 8 * 1024 * 1024) {
            [self] in goOnDelivering(atMost: .max)
        }
        if error != 0 {
            DispatchQueue.global().async { [self] in goOnDelivering(atMost: .max) }
        }
    }

    private func deliver(_ entry: HeldNotification) {
        func post(_ wait: PostWait?) -> PostReceipt {
            engine.post(
                entry.payload, Posting(entry.topic, about: entry.subject, for: wait),
                where: entry.admits)
        }
        guard let whenOver = entry.whenOver else {
            _ = post(nil)
            return
        }
        _ = PostWait.start(post, whenDone: { receipt, _ in whenOver(.delivered(receipt)) })
    }

    /// Takes the next notification to deliver; nil, with the delivery over, if there is none.
    private func next() -> HeldNotification? {
        state.withLock { state in
            if let entry = state.takeNext() { return entry }
            state.isDelivering = false
            if !state.isSuspended { mayHold.store(false, ordering: .releasing) }
            return nil
        }
    }

    /// Goes on elsewhere when a handler ends the thread that delivers held notifications.
    private final class DeliveryEnd: EndsWithThread {
        private let suspension: Suspension

        init(_ suspension: Suspension) { self.suspension = suspension }

        func threadEnds() { suspension.goOnElsewhere() }
    }
}
