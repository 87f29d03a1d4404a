// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// The interceptor of a distributed center's posts: it sends each post to other processes, then
/// delivers it to the observers here.
///
/// In this order, because an observer here may post as well, and its notification has to come after
/// the one that it heard.
final class DistributedInterceptor: NamedInterceptor, @unchecked Sendable {
    // Sendable: `intake` and `transport` are set once, before the center is shared, and cleared by
    // its deinit.
    private(set) var intake: DistributedIntake?
    private(set) var transport: (any DistributedTransport)?
    /// Whether a post that was sent is heard: a server between the processes does not say so.
    private var knowsHearers = false
    // Retained through the two above; not retained again, so that posts count no references.
    private var suspension: Unmanaged<Suspension>?
    private var groups: Unmanaged<GroupExchange>?
    /// The transport, if it can be called without going through a protocol, as the mesh can.
    private(set) var sender: Unmanaged<DirectSender>?

    func connect(_ intake: DistributedIntake, _ transport: (any DistributedTransport)?) {
        self.intake = intake
        self.transport = transport
        knowsHearers = transport?.tracksDelivery ?? false
        suspension = .passUnretained(intake.suspension)
        groups = .passUnretained(intake.groups)
        if let transport {
            intake.connect(
                TransportSender(transport), sharesLatestValues: transport.sharesLatestValues,
                carriesRequests: transport.carriesRequests)
        }
        sender = (transport as? DirectSender).map { .passUnretained($0) }
    }

    func disconnect() {
        intake?.requests.disconnect()
        (suspension, groups, sender) = (nil, nil, nil)
        (intake, transport) = (nil, nil)
    }

    /// Sends a post to other processes, then delivers it here: all posts come here.
    ///
    /// - Parameters:
    ///   - deliver: delivers the post to the observers here, and is told whether it is heard
    ///     elsewhere.
    ///   - makePayload: makes the payload of a post that is held, or whose observers are chosen.
    @inline(__always)
    func sendThenDeliver(
        _ post: OutgoingPost, through engine: NotificationEngine,
        here deliver: (_ isHeardElsewhere: Bool) -> PostReceipt,
        orKeep makePayload: () -> NamedPayload
    ) throws -> PostReceipt {
        if engine.isFollowed {
            return try sendFollowed(post, through: engine, here: deliver, orKeep: makePayload)
        }
        return try sendThenDeliver(
            post, carrying: nil, through: engine, here: deliver, orKeep: makePayload)
    }

    // On its own, because a closure that has the post would have it copied for every post.
    @inline(never)
    private func sendFollowed(
        _ post: OutgoingPost, through engine: NotificationEngine,
        here deliver: (_ isHeardElsewhere: Bool) -> PostReceipt,
        orKeep makePayload: () -> NamedPayload
    ) throws -> PostReceipt {
        var receipt = PostReceipt()
        func send(_ carried: CarriedContext?) throws {
            receipt = try sendThenDeliver(
                post, carrying: carried, through: engine, here: deliver, orKeep: makePayload)
        }
        if let follower = engine.follower, mayBeHeardElsewhere(post) {
            try follower.sending(post.topic) { try send($0.isEmpty ? nil : $0) }
        } else {
            try send(nil)
        }
        return receipt
    }

    /// Whether the post may go to another process, as far as this one knows. If not, it is followed
    /// like one of a center in this process alone.
    private func mayBeHeardElsewhere(_ post: OutgoingPost) -> Bool {
        // Jobs for members elsewhere have another name on their way.
        guard !sharesGroups, let sender else { return transport != nil }
        return sender._withUnsafeGuaranteedRef { $0.mayBeHeard(post.topic, post.object) }
    }

    @inline(__always)
    private func sendThenDeliver(
        _ post: OutgoingPost, carrying carried: CarriedContext?,
        through engine: NotificationEngine,
        here deliver: (_ isHeardElsewhere: Bool) -> PostReceipt,
        orKeep makePayload: () -> NamedPayload
    ) throws -> PostReceipt {
        try post.check()
        let trace = engine.isTraced ? TraceCrossing.sending(post.topic) : nil
        // Until it is delivered here, it is not unheard: it may fail, or be held.
        var isHeld = true
        defer { trace?.end(isHeld: isHeld) }
        let sent = try send(post, carrying: carried)
        // Transports that say on which way it went have written that down.
        if let trace, sent.sent + sent.dropped > 0 { trace.mayBeHeardElsewhere() }
        if let kept = post.kept { intake?.latest.wasSent(kept) }
        let choice = sharesGroups ? choose(post, carried?.fields ?? [:]) : nil
        isHeld = isSuspended
        // Held notifications that are delivered meanwhile are posts of their own.
        if !isHeld { trace?.deliver() }
        let isHeardElsewhere = isHeard(sent)
        let here =
            if isHeld {
                hold(
                    makePayload(), of: post, choice, engine, isHeardElsewhere: isHeardElsewhere)
            } else if let choice {
                deliverShared(makePayload(), of: post, choice, engine)
            } else {
                deliver(isHeardElsewhere)
            }
        return PostReceipt(sent, and: here)
    }

    /// Whether other processes hear what was sent, as far as this one knows.
    @inline(__always)
    func isHeard(_ sent: DistributedSendResult) -> Bool { sent.sent > 0 && knowsHearers }

    var sharesGroups: Bool { groups?._withUnsafeGuaranteedRef(\.isShared) ?? false }

    var isSuspended: Bool {
        suspension?._withUnsafeGuaranteedRef(\.isSuspended) ?? false
    }

    @inline(__always)
    private func send(
        _ post: OutgoingPost, carrying carried: CarriedContext?
    ) throws -> DistributedSendResult {
        let time = post.kept?.value.stamp.time
        guard let sender, carried == nil, time == nil else {
            return try transport?.send(
                OutgoingNotification(
                    name: post.name, object: post.object, payload: post.payload,
                    deliversImmediately: post.isImmediate, context: carried?.fields ?? [:],
                    keptAt: time))
                ?? DistributedSendResult()
        }
        return post.payload.bytes.withUnsafeBytes { bytes in
            sender._withUnsafeGuaranteedRef {
                $0.send(
                    post.topic, post.object, post.payload.kind, bytes,
                    isImmediate: post.isImmediate)
            }
        }
    }

    // MARK: - Posts that throw nothing

    override func post(
        _ notification: Notification, for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        postNotification(notification, isImmediate: false, for: wait, through: engine)
    }

    func postNotification(
        _ notification: Notification, isImmediate: Bool, for wait: PostWait? = nil,
        through engine: NotificationEngine
    ) -> PostReceipt {
        reporting(notification.name.rawValue, to: engine) {
            let (notification, post) = try Self.outgoing(
                notification, isImmediate: isImmediate, for: wait)
            return try sendThenDeliver(
                post, through: engine,
                here: { isHeardElsewhere in
                    if !isHeardElsewhere {
                        return engine.postUnintercepted(notification, for: wait)
                    }
                    guard engine.mayBeHeard(post.topic) else { return PostReceipt() }
                    return engine.post(
                        heardElsewhere: NamedPayload(notification), post.topic,
                        Subject(optional: post.object), for: wait)
                },
                orKeep: { NamedPayload(notification) })
        }
    }

    override func post(
        _ message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        reporting(name.rawValue, to: engine) {
            try sendThenDeliver(
                Self.outgoing(message, name, about: subject, for: wait), through: engine,
                here: { isHeardElsewhere in
                    if !isHeardElsewhere {
                        return engine.post(message, named: name, about: subject, for: wait)
                    }
                    return engine.post(
                        heardElsewhere: NamedPayload(message), .name(name.rawValue), subject,
                        for: wait, isOnMainActor: message.isForMainActor)
                },
                orKeep: { NamedPayload(message) })
        }
    }

    // MARK: - Posts whose payload is kept

    override func post(
        retaining notification: Notification, for wait: PostWait?,
        through engine: NotificationEngine
    ) -> PostReceipt {
        reporting(notification.name.rawValue, to: engine) {
            let (notification, post) = try Self.outgoing(
                notification, isImmediate: false, for: wait)
            return try keepThenPost(NamedPayload(notification), of: post, through: engine)
        }
    }

    override func post(
        retaining message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        reporting(name.rawValue, to: engine) {
            try keepThenPost(
                NamedPayload(message),
                of: Self.outgoing(message, name, about: subject, for: wait), through: engine)
        }
    }

    /// Posts a payload that is kept once it was sent, before it is delivered here.
    private func keepThenPost(
        _ payload: NamedPayload, of post: OutgoingPost, through engine: NotificationEngine
    ) throws -> PostReceipt {
        try post.check()
        guard let latest = intake?.latest else { return PostReceipt() }
        let kept = try latest.begin(payload, post.name, post.object, post.payload)
        var post = post
        post.kept = kept
        do {
            return try sendThenDeliver(
                post, through: engine,
                here: { _ in
                    latest.deliver(payload, kept.value.topic, to: kept.audience, for: post.wait)
                },
                orKeep: { payload })
        } catch {
            latest.hasFailed(kept)
            throw error
        }
    }

    override func observesLatest(_ topic: Topic, _ subject: Subject) {
        intake?.latest.ask(for: topic, subject)
    }

    override func removeLatest(
        _ topic: Topic, _ subject: Subject, from engine: NotificationEngine
    ) -> AnyRetainedValue? {
        intake?.latest.remove(topic, subject)
    }

    /// Runs `post`. Tells the problem hook if it throws; nothing is delivered then.
    private func reporting(
        _ name: String, to engine: NotificationEngine, _ post: () throws -> PostReceipt
    ) -> PostReceipt {
        do {
            return try post()
        } catch {
            // A name may be refused because it is too long.
            let title = "\"\(name.shortened(to: 100).shown)\""
            engine.report(
                DeliveryProblem(
                    .notDistributable, "a notification named \(title) was not posted: \(error)",
                    error: error, topic: title))
            return PostReceipt()
        }
    }
}
