// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// The interceptor of a distributed center's posts: it sends each post to other processes, then delivers
/// it to the observers here.
///
/// In this order, because an observer here may post as well, and its notification has to come after
/// the one that it heard.
final class DistributedInterceptor: NamedInterceptor, @unchecked Sendable {
    // Sendable: `intake` and `transport` are set once, before the center is shared, and cleared by
    // its deinit.
    private(set) var intake: DistributedIntake?
    private(set) var transport: (any DistributedTransport)?
    // Retained through the two above; not retained again, so that posts count no references.
    private var suspension: Unmanaged<Suspension>?
    private var groups: Unmanaged<GroupExchange>?
    /// The transport, if it can be called without going through a protocol, as the mesh can.
    private var sender: Unmanaged<DirectSender>?

    func connect(_ intake: DistributedIntake, _ transport: (any DistributedTransport)?) {
        self.intake = intake
        self.transport = transport
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

    /// Posts a notification or a message: all posts come here.
    @inline(__always)
    func post(
        _ name: String, _ object: String?, _ payload: DistributedPayload, isImmediate: Bool,
        kept: KeptPost? = nil, for wait: PostWait? = nil, _ engine: NotificationEngine,
        here deliver: () -> PostReceipt,
        orKeep makePayload: () -> NamedPayload
    ) throws -> PostReceipt {
        guard engine.isFollowed, let follower = engine.follower else {
            return try post(
                name, object, payload, isImmediate: isImmediate, kept: kept, for: wait,
                carrying: nil, engine, here: deliver, orKeep: makePayload)
        }
        var receipt = PostReceipt()
        try follower.sending(.name(name)) { carried in
            receipt = try post(
                name, object, payload, isImmediate: isImmediate, kept: kept, for: wait,
                carrying: carried.isEmpty ? nil : carried, engine, here: deliver,
                orKeep: makePayload)
        }
        return receipt
    }

    @inline(__always)
    private func post(
        _ name: String, _ object: String?, _ payload: DistributedPayload, isImmediate: Bool,
        kept: KeptPost?, for wait: PostWait?, carrying carried: CarriedContext?,
        _ engine: NotificationEngine,
        here deliver: () -> PostReceipt, orKeep makePayload: () -> NamedPayload
    ) throws -> PostReceipt {
        try Self.check(name, object)
        let trace = engine.isTraced ? TraceCrossing.sending(.name(name)) : nil
        // Until it is delivered here, it is not unheard: it may fail, or be held.
        var isHeld = true
        defer { trace?.end(isHeld: isHeld) }
        let sent = try send(
            name, object, payload, isImmediate: isImmediate, keptAt: kept?.value.stamp.time,
            carrying: carried)
        if let kept { intake?.latest.wasSent(kept) }
        let choice =
            sharesGroups
            ? choose(name, object, payload, isImmediate: isImmediate, carried?.fields ?? [:]) : nil
        isHeld = isSuspended
        // Held notifications that are delivered meanwhile are posts of their own.
        if !isHeld { trace?.deliver() }
        var receipt = PostReceipt()
        if isHeld {
            receipt = hold(
                makePayload(), name, object, size: payload.bytes.count, isImmediate: isImmediate,
                kept, choice, engine)
        } else if let choice {
            receipt = deliverShared(makePayload(), name, object, kept, choice, for: wait, engine)
        } else {
            receipt = deliver()
        }
        receipt.queued += sent.sent
        receipt.dropped += sent.dropped
        return receipt
    }

    private var sharesGroups: Bool { groups?._withUnsafeGuaranteedRef(\.isShared) ?? false }

    private var isSuspended: Bool {
        suspension?._withUnsafeGuaranteedRef(\.isSuspended) ?? false
    }

    @inline(__always)
    private func send(
        _ name: String, _ object: String?, _ payload: DistributedPayload, isImmediate: Bool,
        keptAt time: UInt64?, carrying carried: CarriedContext?
    ) throws -> DistributedSendResult {
        guard let sender, carried == nil, time == nil else {
            return try transport?.send(
                OutgoingNotification(
                    name: name, object: object, payload: payload, deliversImmediately: isImmediate,
                    context: carried?.fields ?? [:], keptAt: time))
                ?? DistributedSendResult()
        }
        return payload.bytes.withUnsafeBytes { bytes in
            sender._withUnsafeGuaranteedRef {
                $0.send(name, object, payload.kind, bytes, isImmediate: isImmediate)
            }
        }
    }

    private static func check(_ name: String, _ object: String?) throws {
        if DistributedInterest(name: name, object: nil).isForCenters {
            throw DistributedPostError(
                .nameIsReserved,
                "\"\(name)\" is a name by which centers talk to each other: take another one"
            )
        }
        if name.utf8.count > WireFormat.longestName {
            throw DistributedPostError(
                .tooLong,
                "a name of \(name.utf8.count) bytes: at most \(WireFormat.longestName) can "
                    + "be sent")
        }
        if let object, object.utf8.count > WireFormat.longestObject {
            throw DistributedPostError(
                .tooLong,
                "an object of \(object.utf8.count) bytes: at most "
                    + "\(WireFormat.longestObject) can be sent; put it into userInfo")
        }
    }

    // MARK: - Posts that throw nothing

    override func post(
        _ notification: Notification, for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        post(notification, isImmediate: false, for: wait, through: engine)
    }

    func post(
        _ notification: Notification, isImmediate: Bool, for wait: PostWait? = nil,
        through engine: NotificationEngine
    ) -> PostReceipt {
        post(notification, isImmediate: isImmediate, for: wait, engine) {
            engine.postUnintercepted($0, for: wait)
        }
    }

    private func post(
        _ notification: Notification, isImmediate: Bool, for wait: PostWait?,
        _ engine: NotificationEngine, here deliver: (Notification) -> PostReceipt
    ) -> PostReceipt {
        reporting(notification.name.rawValue, to: engine) {
            let object = try Self.string(notification.object)
            var notification = notification
            notification.object = object
            return try post(
                notification.name.rawValue, object,
                DistributedPayload(userInfo: notification.userInfo), isImmediate: isImmediate,
                for: wait, engine, here: { deliver(notification) },
                orKeep: { NamedPayload(notification) })
        }
    }

    override func post(
        _ message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        post(message, name, about: subject, for: wait, engine) {
            engine.post(message, named: name, about: subject, for: wait)
        }
    }

    private func post(
        _ message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, _ engine: NotificationEngine, here deliver: () -> PostReceipt
    ) -> PostReceipt {
        reporting(name.rawValue, to: engine) {
            try post(
                name.rawValue, Self.string(subject), Self.payload(of: message), isImmediate: false,
                for: wait, engine, here: deliver, orKeep: { NamedPayload(message) })
        }
    }

    // MARK: - Posts whose payload is kept

    override func post(
        retaining notification: Notification, for wait: PostWait?,
        through engine: NotificationEngine
    ) -> PostReceipt {
        reporting(notification.name.rawValue, to: engine) {
            let object = try Self.string(notification.object)
            var notification = notification
            notification.object = object
            return try post(
                retaining: NamedPayload(notification), notification.name.rawValue, object,
                DistributedPayload(userInfo: notification.userInfo), for: wait, engine)
        }
    }

    override func post(
        retaining message: NamedMessage, _ name: Notification.Name, about subject: Subject,
        for wait: PostWait?, through engine: NotificationEngine
    ) -> PostReceipt {
        reporting(name.rawValue, to: engine) {
            try post(
                retaining: NamedPayload(message), name.rawValue, Self.string(subject),
                Self.payload(of: message), for: wait, engine)
        }
    }

    /// Posts a payload that is kept once it was sent, before it is delivered here.
    private func post(
        retaining payload: NamedPayload, _ name: String, _ object: String?,
        _ encoded: DistributedPayload, for wait: PostWait?, _ engine: NotificationEngine
    ) throws -> PostReceipt {
        try Self.check(name, object)
        guard let latest = intake?.latest else { return PostReceipt() }
        let kept = try latest.begin(payload, name, object, encoded)
        do {
            return try post(
                name, object, encoded, isImmediate: false, kept: kept, for: wait, engine,
                here: {
                    latest.deliver(payload, kept.value.topic, to: kept.hearers, for: wait)
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
            engine.report(
                DeliveryProblem(
                    .notDistributable, "a notification named \"\(name)\" was not posted: \(error)",
                    error: error, topic: "\"\(name)\""))
            return PostReceipt()
        }
    }

    private static func payload(of message: NamedMessage) throws -> DistributedPayload {
        if let message = message.value as? any DistributedMessage {
            return try message.distributedPayload
        }
        return try DistributedPayload(userInfo: message.notification.userInfo)
    }

    private static func string(_ subject: Subject) throws -> String? {
        if !subject.isNone, subject.string == nil { throw objectIsNoString("\(subject)") }
        return subject.string
    }

    private static func string(_ object: Any?) throws -> String? {
        guard let object else { return nil }
        if let string = object as? String { return string }
        if let string = object as? NSString { return String(describing: string) }
        throw objectIsNoString("a \(type(of: object))")
    }

    private static func objectIsNoString(_ what: String) -> DistributedPostError {
        DistributedPostError(
            .objectIsNoString,
            "its object is \(what): between processes it is a string, because instances mean nothing "
                + "to another; name what it is about, and put the rest into userInfo")
    }
}
