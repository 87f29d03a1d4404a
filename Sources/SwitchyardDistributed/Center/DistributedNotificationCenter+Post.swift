// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) public import SwitchyardCore
internal import SwitchyardWire

// MARK: - As on Apple's systems

extension DistributedNotificationCenter {
    /// Posts a notification to observers in all processes. A notification that can't be sent is
    /// reported to the problem hook, and posted nowhere.
    ///
    /// Returns when the notification is on its way. Handlers of this process are called later as
    /// well, except those `on: .poster`. Safe from any thread.
    ///
    /// - Parameters:
    ///   - name: The name that observers registered for.
    ///   - object: The object that the notification is about.
    ///   - userInfo: The dictionary of a property list, with strings as keys.
    ///   - deliverImmediately: Whether suspended observers get the notification at once.
    public func postNotificationName(
        _ name: NSNotification.Name, object: String?, userInfo: [AnyHashable: Any]? = nil,
        deliverImmediately: Bool
    ) {
        postNotificationName(
            name, object: object, userInfo: userInfo,
            options: deliverImmediately ? .deliverImmediately : [])
    }

    /// Posts a notification to observers in all processes; otherwise the same as
    /// ``postNotificationName(_:object:userInfo:deliverImmediately:)``.
    public func postNotificationName(
        _ name: NSNotification.Name, object: String?, userInfo: [AnyHashable: Any]? = nil,
        options: Options = []
    ) {
        _ = interceptor.postNotification(
            Notification(name: name, object: object, userInfo: userInfo),
            isImmediate: options.contains(.deliverImmediately), through: engine)
    }

    /// Posts a notification to observers in all processes.
    public func post(name: NSNotification.Name, object: String?) {
        postNotificationName(name, object: object)
    }

    /// Posts a notification to observers in all processes.
    ///
    /// - Parameters:
    ///   - name: The name that observers registered for.
    ///   - object: The object that the notification is about.
    ///   - userInfo: The dictionary of a property list, with strings as keys.
    public func post(
        name: NSNotification.Name, object: String?, userInfo: [AnyHashable: Any]?
    ) {
        postNotificationName(name, object: object, userInfo: userInfo)
    }
}

// MARK: - Switchyard's own

extension DistributedNotificationCenter {
    /// Posts a typed message to observers in all processes.
    ///
    /// - Returns: The number of deliveries; other processes are counted among the `queued`.
    /// - Throws: ``DistributedPostError`` if the message can't be encoded or is too long. Then
    ///   nothing is posted.
    @discardableResult
    public func post<Message: DistributedMessage>(_ message: Message) throws -> PostReceipt {
        try post(message, subject: nil, options: [])
    }

    /// Posts a typed message about `subject` to observers in all processes; otherwise the same as
    /// ``post(_:)``.
    @discardableResult
    public func post<Message: DistributedMessage>(
        _ message: Message, subject: String
    ) throws -> PostReceipt {
        try post(message, subject: subject, options: [])
    }

    /// Posts a typed message to observers in all processes; otherwise the same as ``post(_:)``.
    ///
    /// - Parameters:
    ///   - message: The message to post.
    ///   - subject: The subject of the message; nil for none.
    ///   - options: Whether suspended observers get the message at once.
    @discardableResult
    public func post<Message: DistributedMessage>(
        _ message: Message, subject: String?, options: Options
    ) throws -> PostReceipt {
        let name = Message.name
        func typed() -> NamedMessage { TypedNamedMessage(message, subject, Message.conversion) }
        let topic = Topic.name(name.rawValue)
        let post = try OutgoingPost(
            topic: topic, object: subject, payload: message.distributedPayload,
            isImmediate: options.contains(.deliverImmediately))
        return try interceptor.sendThenDeliver(
            post, through: engine,
            here: {
                deliver(topic, subject, isHeardElsewhere: $0) { NamedPayload(typed()) }
            },
            orKeep: { NamedPayload(typed()) })
    }

    /// Posts an encoded payload to observers in all processes.
    ///
    /// - Parameters:
    ///   - name: The name that observers registered for.
    ///   - object: The object that the notification is about.
    ///   - payload: The encoded payload.
    ///   - options: Whether suspended observers get the notification at once.
    /// - Returns: The number of deliveries; other processes are counted among the `queued`.
    /// - Throws: ``DistributedPostError`` if the name or the object is too long.
    @discardableResult
    public func post(
        name: NSNotification.Name, object: String? = nil, payload: DistributedPayload,
        options: Options = []
    ) throws -> PostReceipt {
        try payload.bytes.withUnsafeBytes { bytes in
            try post(name, object, payload.kind, bytes, options, payload: { payload })
        }
    }

    /// Posts bytes, whose meaning is up to the observers of the name, to observers in all
    /// processes. Observers hear them as those of ``DistributedPayload/init(bytes:)``.
    ///
    /// This is the post that takes the least time: as long as nobody in this process hears the
    /// name, and the center is neither suspended nor watched, it makes no payload. The bytes are
    /// copied before it returns.
    ///
    /// ```swift
    /// try center.post(name: .frameIsReady, bytes: pixels.span.bytes)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that observers registered for.
    ///   - object: The object that the notification is about.
    ///   - bytes: The bytes to send.
    ///   - options: Whether suspended observers get the notification at once.
    /// - Returns: The number of deliveries; other processes are counted among the `queued`.
    /// - Throws: ``DistributedPostError`` if the name or the object is too long, or if there are too
    ///   many bytes. Then nothing is posted.
    @discardableResult
    public func post(
        name: NSNotification.Name, object: String? = nil, bytes: RawSpan, options: Options = []
    ) throws -> PostReceipt {
        if bytes.byteCount > WireFormat.longestPayload {
            throw DistributedPostError.tooLong(bytes.byteCount)
        }
        return try bytes.withUnsafeBytes { bytes in
            try post(
                name, object, .bytes, bytes, options,
                payload: { DistributedPayload(.bytes, Array(bytes)) })
        }
    }

    /// Posts the bytes of a payload.
    ///
    /// - Parameter makePayload: makes the payload of these bytes, for observers in this process.
    @inline(__always)
    private func post(
        _ name: NSNotification.Name, _ object: String?, _ kind: PayloadKind,
        _ bytes: UnsafeRawBufferPointer, _ options: Options,
        payload makePayload: () -> DistributedPayload
    ) throws -> PostReceipt {
        let topic = Topic.name(name.rawValue)
        let isImmediate = options.contains(.deliverImmediately)
        guard
            let sent = interceptor.sendAlone(
                topic, object, kind, bytes, isImmediate: isImmediate, through: engine)
        else {
            return try postWhole(
                OutgoingPost(
                    topic: topic, object: object, payload: makePayload(), isImmediate: isImmediate))
        }
        let isHeardElsewhere = interceptor.isHeard(sent)
        let elsewhere = interceptor.deliverElsewhere(
            {
                OutgoingPost(
                    topic: topic, object: object, payload: makePayload(), isImmediate: isImmediate)
            },
            through: engine, isHeardElsewhere: isHeardElsewhere,
            orKeep: { named(makePayload(), topic, object) })
        if let elsewhere { return PostReceipt(sent, and: elsewhere) }
        let here = deliver(topic, object, isHeardElsewhere: isHeardElsewhere) {
            named(makePayload(), topic, object)
        }
        return PostReceipt(sent, and: here)
    }

    /// Posts a payload in the way that all posts can go.
    private func postWhole(_ post: OutgoingPost) throws -> PostReceipt {
        func payload() -> NamedPayload { named(post.payload, post.topic, post.object) }
        return try interceptor.sendThenDeliver(
            post, through: engine,
            here: { deliver(post.topic, post.object, isHeardElsewhere: $0, payload) },
            orKeep: payload)
    }

    /// Delivers a post to the observers in this process.
    @inline(__always)
    private func deliver(
        _ topic: Topic, _ object: String?, isHeardElsewhere: Bool,
        _ makePayload: () -> NamedPayload
    ) -> PostReceipt {
        guard engine.mayBeHeard(topic) else {
            return isHeardElsewhere ? PostReceipt() : engine.reachedNobody(topic)
        }
        let subject = Subject(optional: object)
        return isHeardElsewhere
            ? engine.post(heardElsewhere: makePayload(), topic, subject)
            : engine.post(makePayload(), topic, subject)
    }

    /// The payload as observers in this process get it.
    private func named(
        _ payload: DistributedPayload, _ topic: Topic, _ object: String?
    ) -> NamedPayload {
        let received = ReceivedTopic(name: topic.name, object: object)
        return NamedPayload(ReceivedMessage(payload, sender: ownPeer, sequence: 0, received))
    }
}
