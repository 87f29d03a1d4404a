// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) public import SwitchyardCore
internal import Synchronization

/// Where a transport hands over what comes from other processes, to be delivered to the center's
/// observers.
///
/// One thread at a time may hand over what comes from one peer, so that its order is kept.
public final class DistributedIntake: Sendable {
    let engine: NotificationEngine
    let suspension: Suspension
    let interest = LocalInterest()
    private let lossHook = Guarded<LossHook?>(nil)

    // Behind a class: closures read from under a lock are wrapped again each time.
    private final class LossHook: Sendable {
        let call: @Sendable (DistributedLoss) -> Void
        init(_ call: @escaping @Sendable (DistributedLoss) -> Void) { self.call = call }
    }

    init(engine: NotificationEngine) {
        self.engine = engine
        suspension = Suspension(engine: engine)
    }

    /// Delivers a notification: to observers that hear on the calling thread before this returns, and
    /// into the mailboxes of the others.
    public func receive(_ notification: IncomingNotification) {
        receive(
            notification.payload,
            ReceivedTopic(name: notification.name, object: notification.object),
            from: notification.sender, sequence: notification.sequence,
            isImmediate: notification.deliversImmediately)
    }

    /// The same, for who keeps the topics that come often.
    package func receive(
        _ payload: DistributedPayload, _ topic: ReceivedTopic, from sender: DistributedPeer,
        sequence: UInt64, isImmediate: Bool
    ) {
        let message = ReceivedMessage(payload, sender: sender, sequence: sequence, topic, self)
        message.isImmediate = isImmediate
        deliver(message, .passUnretained(topic), isImmediate: isImmediate)
    }

    /// Delivers a message that was lent bytes, and ends that.
    @inline(__always)
    func deliver(lent message: inout ReceivedMessage, _ topic: Unmanaged<ReceivedTopic>) {
        deliver(message, topic, isImmediate: message.isImmediate)
        // Most are through with; somebody may have kept it, or waits for it in a mailbox.
        if !isKnownUniquelyReferenced(&message) || message.hasNotification {
            message.keepOwn()
            message = ReceivedMessage(sender: message.sender, message.topic, self)
        }
    }

    /// - Parameter topic: the message's, without counting references.
    @inline(__always)
    private func deliver(
        _ message: ReceivedMessage, _ topic: Unmanaged<ReceivedTopic>, isImmediate: Bool
    ) {
        topic._withUnsafeGuaranteedRef { topic in
            if suspension.isSuspended {
                suspension.take(
                    NamedPayload(message), topic.topic, topic.subject,
                    size: message.withBytes(\.count), isImmediate: isImmediate)
            } else {
                _ = engine.post(borrowing: message, topic.topic, topic.subject)
            }
        }
    }

    /// Tells the center that notifications were lost on their way from or to a peer.
    public func report(_ loss: DistributedLoss) {
        if let hook = lossHook.withLock({ $0 }) {
            hook.call(loss)
        } else {
            engine.report(
                DeliveryProblem(
                    .distributedLoss, loss.description, count: Int(clamping: loss.count)))
        }
    }

    func onLoss(_ hook: (@Sendable (DistributedLoss) -> Void)?) {
        _ = lossHook.exchange(hook.map { LossHook($0) })
    }

    /// Tells the center's problem hook that something is wrong with a peer, or with the way there.
    ///
    /// - Parameter description: what happened, and what can be done.
    public func report(problem description: String) {
        engine.report(DeliveryProblem(.transport, description))
    }

    /// What this process observes.
    public var interests: [DistributedInterest] { interest.told }

    /// What it observes, or no longer does, since this was asked last.
    public func takeInterestChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        reportUnheard()
        return takeToldChanges()
    }

    /// The same, without a call of the problem hook.
    package func takeToldChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        interest.takeChanges()
    }

    /// Tells the problem hook of observers that other processes can't reach. Not under a lock: the hook
    /// is the user's.
    package func reportUnheard() {
        for problem in interest.takeUnheard() {
            engine.report(DeliveryProblem(.notDistributable, problem))
        }
    }
}

/// Notifications that were lost between this process and another.
public struct DistributedLoss: Sendable, Hashable, CustomStringConvertible {
    /// Which way they were going.
    public enum Direction: Sendable, Hashable {
        /// From the peer to this process.
        case incoming
        /// From this process to the peer.
        case outgoing
    }

    /// The other process.
    public let peer: DistributedPeer
    /// Which way they were going.
    public let direction: Direction
    /// How many.
    public let count: UInt64

    /// A loss, as a transport knows of it.
    public init(peer: DistributedPeer, direction: Direction, count: UInt64) {
        self.peer = peer
        self.direction = direction
        self.count = count
    }

    /// What was lost, and why.
    public var description: String {
        switch direction {
        case .incoming:
            "\(count) notifications from \(peer) were lost: this process did not read in time, or "
                + "the connection broke"
        case .outgoing:
            "\(count) notifications to \(peer) were lost: it does not read, and no more may wait for "
                + "it, or the connection broke"
        }
    }
}

extension DeliveryProblem.Kind {
    /// Notifications were lost between processes; the problem's `count` says how many.
    public static let distributedLoss = Self(named: "distributedLoss")
    /// Something is wrong with a peer, or with the way there.
    public static let transport = Self(named: "transport")
    /// What was posted can't go to other processes.
    public static let notDistributable = Self(named: "notDistributable")
}
