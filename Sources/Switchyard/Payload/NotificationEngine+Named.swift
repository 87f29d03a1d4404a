// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

extension NotificationEngine {
    /// Posts a notification that is made only if somebody may hear it.
    @inline(__always)
    func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]?) -> PostReceipt {
        if interceptsPosts { return intercept(name, object, userInfo) }
        return post(Topic.name(name.rawValue), about: Subject(optional: object)) {
            NamedPayload.withBorrowed(name: name, object: object, userInfo: userInfo, $0)
        }
    }

    /// Posts what `withPayload` makes: the same steps as for a typed message, in
    /// `SwitchyardCore/Post/NotificationEngine.swift`. The functions that are called here stand
    /// there, in `Search.swift` and in `NotificationEngine+Deliver.swift`.
    ///
    /// - Parameter withPayload: called if the topic is observed. Makes the payload, and passes it
    ///   to its argument, which delivers it.
    // Here, not in the engine: it is not inlined into another module, and takes a tenth longer
    // there.
    @inline(__always)
    private func post(
        _ topic: Topic, about subject: @autoclosure () -> Subject, for wait: PostWait? = nil,
        isOnMainActor: Bool = false,
        _ withPayload: ((NamedPayload) -> PostReceipt) -> PostReceipt
    ) -> PostReceipt {
        guard mayBeHeard(topic) else { return reachedNobody(topic) }
        let posting = Posting(
            topic, about: subject(), for: wait, isOnMainActor: isOnMainActor)
        guard let match = matchIfAny(posting) else { return PostReceipt() }
        return withPayload { deliver($0, of: posting, to: match) }
    }

    @inline(never)
    private func intercept(
        _ name: Notification.Name, _ object: Any?, _ userInfo: [AnyHashable: Any]?
    ) -> PostReceipt {
        post(Notification(name: name, object: object, userInfo: userInfo))
    }

    /// Posts a notification, through the interceptor if there is one.
    func post(_ notification: Notification, for wait: PostWait? = nil) -> PostReceipt {
        namedInterceptor?.post(notification, for: wait, through: self)
            ?? postUnintercepted(notification, for: wait)
    }

    /// Posts a notification to the observers of this engine alone.
    package func postUnintercepted(
        _ notification: Notification, for wait: PostWait? = nil
    ) -> PostReceipt {
        post(
            Topic.name(notification.name.rawValue),
            about: Subject(optional: notification.object), for: wait
        ) { deliver in deliver(NamedPayload(notification)) }
    }

    /// Posts a notification of which topic and subject are known.
    func post(_ notification: Notification, _ topic: Topic, _ subject: Subject) -> PostReceipt {
        post(topic, about: subject) { deliver in deliver(NamedPayload(notification)) }
    }

    /// Posts a message that has a name.
    package func post(
        _ message: NamedMessage, named name: Notification.Name, about subject: Subject,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        // Messages of the main actor are posted there alone: the compiler sees to it.
        post(
            Topic.name(name.rawValue), about: subject, for: wait,
            isOnMainActor: message.isForMainActor
        ) { deliver in deliver(NamedPayload(message)) }
    }

    /// Posts a payload that other processes hear as well: it is no dead letter if nobody does here.
    package func post(
        heardElsewhere payload: NamedPayload, _ topic: Topic, _ subject: Subject,
        for wait: PostWait? = nil, isOnMainActor: Bool = false
    ) -> PostReceipt {
        let posting = Posting(topic, about: subject, for: wait, isOnMainActor: isOnMainActor)
        return post(payload, posting, where: { _ in true }, mayGoElsewhere: false)
    }

    /// Posts a payload of which topic and subject are known.
    package func post(
        _ payload: NamedPayload, _ topic: Topic, _ subject: Subject
    ) -> PostReceipt {
        post(topic, about: subject) { deliver in deliver(payload) }
    }

    /// Posts a message of which topic and subject are known. When this returns, the caller may use
    /// the message again, unless an observer has kept it.
    package func post(
        borrowing message: NamedMessage, _ topic: Topic, _ subject: Subject
    ) -> PostReceipt {
        post(topic, about: subject) { deliver in NamedPayload.withBorrowed(message, deliver) }
    }

    /// Posts a message as a part of a run that goes on; otherwise the same as
    /// ``post(borrowing:_:_:)``.
    ///
    /// - Returns: What was done, if ``postRest(of:_:_:in:after:)`` has to follow.
    @inline(__always)
    package func post(borrowing message: NamedMessage, in run: PostRun) -> PlainRun? {
        NamedPayload.withBorrowed(message) { run.deliver($0) }
    }

    /// Completes what ``post(borrowing:in:)`` has begun, and ends the run.
    @inline(never)
    package func postRest(
        of message: NamedMessage, _ topic: Topic, _ subject: Subject, in run: inout PostRun,
        after plain: PlainRun
    ) {
        deliverRest(
            NamedPayload(message), of: Posting(topic, about: subject), in: &run, after: plain)
    }

    /// Posts a message under its name, through the interceptor if there is one.
    func post<Message>(
        _ message: Message, subject: Subject, object: Any?,
        via conversion: NamedConversion<Message>,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        if let interceptor = namedInterceptor {
            return interceptor.post(
                TypedNamedMessage(message, object, conversion), conversion.name, about: subject,
                for: wait, through: self)
        }
        return post(
            Topic.name(conversion.name.rawValue), about: subject, for: wait,
            isOnMainActor: conversion.isForMainActor
        ) { deliver in
            deliver(NamedPayload(TypedNamedMessage(message, object, conversion)))
        }
    }

    /// The interceptor of named posts; nil while they go straight to the observers.
    @inline(__always)
    var namedInterceptor: NamedInterceptor? {
        interceptsPosts ? interceptor.map { unsafeDowncast($0, to: NamedInterceptor.self) } : nil
    }
}

// MARK: - Payloads that stay the caller's

extension NamedPayload {
    /// Calls `body` with a notification made of parts that stay the caller's: bit by bit, without
    /// references of its own. Copying the object, which may be of any type, and destroying the copy
    /// takes longer than the rest of a post.
    @inline(__always)
    static func withBorrowed<Result>(
        name: Notification.Name, object: borrowing Any?, userInfo: [AnyHashable: Any]?,
        _ body: (NamedPayload) -> Result
    ) -> Result {
        // Constant, as far as the compiler is concerned. Other systems' notifications may be made
        // differently.
        guard let nameOffset = MemoryLayout<Notification>.offset(of: \.name),
            let objectOffset = MemoryLayout<Notification>.offset(of: \.object),
            let userInfoOffset = MemoryLayout<Notification>.offset(of: \.userInfo)
        else {
            return body(
                NamedPayload(
                    Notification(name: name, object: copy object, userInfo: userInfo)))
        }
        return withUnsafeBytes(of: object) { object in
            withUnsafeBytes(of: name) { name in
                withUnsafeBytes(of: userInfo) { userInfo in
                    withUnsafeTemporaryAllocation(of: NamedPayload.self, capacity: 1) { memory in
                        let bytes = UnsafeMutableRawBufferPointer(memory)
                        // The copy has a null pointer where a message would be.
                        bytes.initializeMemory(as: UInt8.self, repeating: 0)
                        put(name, into: bytes, at: nameOffset)
                        put(object, into: bytes, at: objectOffset)
                        put(userInfo, into: bytes, at: userInfoOffset)
                        // Never destroyed: it owns nothing.
                        return call(body, &memory[0])
                    }
                }
            }
        }
    }

    /// Calls `body` with the payload of a message that stays the caller's, without a reference of
    /// its own.
    @inline(__always)
    static func withBorrowed<Result>(
        _ message: NamedMessage, _ body: (NamedPayload) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: NamedPayload.self, capacity: 1) { memory in
            let bytes = UnsafeMutableRawBufferPointer(memory)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            if let offset = MemoryLayout<NamedPayload>.offset(of: \.message) {
                bytes.storeBytes(
                    of: Unmanaged.passUnretained(message).toOpaque(), toByteOffset: offset,
                    as: UnsafeMutableRawPointer.self)
            }
            // Never destroyed: it owns nothing. The words of the notification are not read as long
            // as there is a message.
            return call(body, &memory[0])
        }
    }

    // Never inlined: inside this call the compiler knows that nobody else uses `payload`, and
    // copies nothing.
    @inline(never)
    private static func call<Result>(
        _ body: (NamedPayload) -> Result, _ payload: inout NamedPayload
    ) -> Result {
        body(payload)
    }

    @inline(__always)
    private static func put(
        _ part: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) {
        UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: part)
    }
}
