// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The receiver of what a transport gets from other processes: it delivers notifications to the
/// center's observers.
///
/// One thread at a time may hand over what comes from one peer, so that its order is kept.
public final class DistributedIntake: Sendable {
    let engine: NotificationEngine
    let suspension: Suspension
    let interest = LocalInterest()
    let latest: LatestExchange
    let requests: RequestExchange
    let groups: GroupExchange
    /// The id of this process, once the center is connected with others.
    let ownProcess = Guarded("")
    private let lossHook = Guarded<LossHook?>(nil)

    // A class, because a closure read from under a lock is wrapped again each time.
    private final class LossHook: Sendable {
        let call: @Sendable (DistributedLoss) -> Void
        init(_ call: @escaping @Sendable (DistributedLoss) -> Void) { self.call = call }
    }

    init(engine: NotificationEngine) {
        self.engine = engine
        latest = LatestExchange(engine, interest)
        requests = RequestExchange(engine, interest)
        suspension = Suspension(engine: engine, wereDelivered: latest.wereDelivered)
        groups = GroupExchange(engine, interest, suspension)
    }

    /// Delivers a notification. Observers that run on the calling thread get it before this
    /// returns; the others get it through their mailboxes.
    public func receive(_ notification: IncomingNotification) {
        receive(
            notification.payload,
            ReceivedTopic(name: notification.name, object: notification.object),
            from: notification.sender, sequence: notification.sequence,
            isImmediate: notification.deliversImmediately, context: notification.context,
            keptAt: notification.keptAt)
    }

    /// Delivers a notification, for transports that keep frequent topics.
    package func receive(
        _ payload: DistributedPayload, _ topic: ReceivedTopic, from sender: DistributedPeer,
        sequence: UInt64, isImmediate: Bool, context: [String: String] = [:],
        keptAt time: UInt64? = nil
    ) {
        let message = ReceivedMessage(payload, sender: sender, sequence: sequence, topic, engine)
        message.isImmediate = isImmediate
        func deliver() {
            if let time, !topic.isForCenters {
                deliverKept(message, at: time)
            } else {
                self.deliver(message, .passUnretained(topic), isImmediate: isImmediate)
            }
        }
        if isFollowed { bringing(context, deliver) } else { deliver() }
    }

    /// Keeps a message for observers that come late, and delivers it.
    ///
    /// - Parameter time: the time of its post.
    private func deliverKept(_ message: ReceivedMessage, at time: UInt64) {
        let (topic, payload) = (message.topic, NamedPayload(message))
        var audience = latest.keep(payload, from: message, at: time)
        if groups.mayBeChosen { audience.groups = groups.audience(from: message.sender) }
        if suspension.isSuspended {
            suspension.take(
                payload, topic.topic, topic.subject, size: message.withBytes(\.count),
                isImmediate: message.isImmediate, for: audience)
        } else {
            _ = latest.deliver(payload, topic, to: audience)
        }
    }

    /// Whether somebody follows what is delivered, who may want to know what notifications took
    /// along.
    package var isFollowed: Bool { engine.isFollowed }

    /// Delivers a notification, by `deliver`, with what it took along, if the center is followed.
    /// Nil stands for nothing: the follower learns all the same that it comes from elsewhere.
    @inline(never)
    package func bringing(_ context: [String: String]?, _ deliver: () -> Void) {
        engine.bringing(context ?? [:], deliver)
    }

    /// Whether notifications that took nothing along are followed, too.
    package var followsAll: Bool {
        isFollowed && engine.follower?.receivesWithoutContext == true
    }

    /// Begins to follow a delivery that a transport makes itself, within ``bringing(_:_:)``.
    package func beginFollowing(_ name: String) -> FollowedPost? {
        engine.follower?.begin(.name(name))
    }

    /// Delivers a message that was lent bytes, as the next of a run, and takes the bytes back.
    @inline(__always)
    func deliver(
        lent message: inout ReceivedMessage, _ topic: Unmanaged<ReceivedTopic>,
        in run: inout ReceivedRun
    ) {
        if suspension.isSuspended || topic._withUnsafeGuaranteedRef(\.isForCenters)
            || groups.mayBeChosen
        {
            run.end()
            deliver(lent: &message, topic)
        } else {
            run.post(.passUnretained(message), topic, through: engine)
            takeBack(&message)
        }
    }

    /// Delivers a message that was lent bytes, and takes the bytes back.
    @inline(__always)
    func deliver(lent message: inout ReceivedMessage, _ topic: Unmanaged<ReceivedTopic>) {
        deliver(message, topic, isImmediate: message.isImmediate)
        takeBack(&message)
    }

    @inline(__always)
    private func takeBack(_ message: inout ReceivedMessage) {
        // Most messages are done with by now; an observer may have kept this one, or it may wait in
        // a mailbox.
        if !isKnownUniquelyReferenced(&message) {
            message.keepOwn()
            message = ReceivedMessage(sender: message.sender, message.topic, engine)
        } else if message.hasNotification {
            message.forgetNotification()
        }
    }

    /// Delivers a message, or holds it while the center is suspended.
    ///
    /// - Parameter topic: The message's topic, passed without counting references.
    @inline(__always)
    private func deliver(
        _ message: ReceivedMessage, _ topic: Unmanaged<ReceivedTopic>, isImmediate: Bool
    ) {
        topic._withUnsafeGuaranteedRef { topic in
            if topic.isForCenters {
                takeForCenter(message)
            } else if groups.mayBeChosen {
                deliver(message, topic, to: groups.audience(from: message.sender))
            } else if suspension.isSuspended {
                suspension.take(
                    NamedPayload(message), topic.topic, topic.subject,
                    size: message.withBytes(\.count), isImmediate: isImmediate)
            } else {
                _ = engine.post(borrowing: message, topic.topic, topic.subject)
            }
        }
    }

    /// Delivers a message, or holds it, where not all groups hear it.
    @inline(never)
    private func deliver(
        _ message: ReceivedMessage, _ topic: ReceivedTopic, to groups: Audience.Groups
    ) {
        let payload = NamedPayload(message)
        var audience = Audience()
        audience.groups = groups
        if suspension.isSuspended {
            suspension.take(
                payload, topic.topic, topic.subject, size: message.withBytes(\.count),
                isImmediate: message.isImmediate, for: audience)
        } else {
            let posting = Posting(topic.topic, about: topic.subject)
            _ = engine.post(payload, posting, where: audience.admit)
        }
    }

    /// Traces the delivery of a notification, if somebody looks on and it is its turn.
    ///
    /// - Parameters:
    ///   - passage: its way; asked for if it is traced.
    ///   - isTraced: whether the posting process traces it; asked for if somebody looks on.
    @inline(never)
    package func trace(
        _ topic: Unmanaged<ReceivedTopic>, through passage: @autoclosure () -> TracePassage,
        isTraced: @autoclosure () -> Bool, _ deliver: () -> Void
    ) {
        // The messages of centers are nobody's posts.
        guard engine.isTraced, !topic._withUnsafeGuaranteedRef(\.isForCenters),
            let trace = TraceCrossing.receiving(
                topic._withUnsafeGuaranteedRef(\.topic), through: passage, isTraced: isTraced)
        else { return deliver() }
        // Held notifications that are delivered meanwhile are posts of their own.
        let isHeld = suspension.isSuspended
        if !isHeld { trace.deliver() }
        deliver()
        trace.end(isHeld: isHeld)
    }

    /// Tells the center that notifications were lost on their way from or to a peer.
    public func report(_ loss: DistributedLoss) {
        let problem = DeliveryProblem(
            .distributedLoss, loss.description, count: Int(clamping: loss.count))
        if let hook = lossHook.withLock({ $0 }) {
            hook.call(loss)
            engine.tellListeners(problem)
        } else {
            engine.report(problem)
        }
    }

    func onLoss(_ hook: (@Sendable (DistributedLoss) -> Void)?) {
        _ = lossHook.exchange(hook.map { LossHook($0) })
    }

    /// Tells the center's problem hook that something is wrong with a peer, or with the connection
    /// to it.
    ///
    /// - Parameter description: The problem, and what can be done. Characters that a terminal would
    ///   obey are escaped: they may come from another process.
    public func report(problem description: String) {
        engine.report(DeliveryProblem(.transport, description.shown))
    }

    package func report(_ problem: DeliveryProblem) { engine.report(problem) }
}
