// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) public import SwitchyardCore

// MARK: - As on Apple's systems

extension DistributedNotificationCenter {
    /// Posts a notification to observers in all processes. What can't be sent is reported to the
    /// problem hook, and posted nowhere.
    ///
    /// Returns when it is on its way; handlers of this process are called later as well, except those
    /// `on: .poster`. Safe from any thread.
    ///
    /// - Parameters:
    ///   - name: what observers registered for.
    ///   - object: what it is about.
    ///   - userInfo: a property list's dictionary, with strings as keys.
    ///   - deliverImmediately: whether suspended observers get it at once.
    public func postNotificationName(
        _ name: NSNotification.Name, object: String?, userInfo: [AnyHashable: Any]? = nil,
        deliverImmediately: Bool
    ) {
        postNotificationName(
            name, object: object, userInfo: userInfo,
            options: deliverImmediately ? .deliverImmediately : [])
    }

    /// Posts a notification to observers in all processes; otherwise as
    /// ``postNotificationName(_:object:userInfo:deliverImmediately:)``.
    public func postNotificationName(
        _ name: NSNotification.Name, object: String?, userInfo: [AnyHashable: Any]? = nil,
        options: Options = []
    ) {
        _ = detour.post(
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
    ///   - name: what observers registered for.
    ///   - object: what it is about.
    ///   - userInfo: a property list's dictionary, with strings as keys.
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
    /// - Returns: To how many it went, or waits to go: other processes are among those `queued`.
    /// - Throws: ``DistributedPostError`` when it can't be encoded or is too long. Nothing is posted
    ///   then.
    @discardableResult
    public func post<Message: DistributedMessage>(_ message: Message) throws -> PostReceipt {
        try post(message, subject: nil, options: [])
    }

    /// Posts a typed message about `subject` to observers in all processes; otherwise as
    /// ``post(_:)``.
    @discardableResult
    public func post<Message: DistributedMessage>(
        _ message: Message, subject: String
    ) throws -> PostReceipt {
        try post(message, subject: subject, options: [])
    }

    /// Posts a typed message to observers in all processes; otherwise as ``post(_:)``.
    ///
    /// - Parameters:
    ///   - message: what is posted.
    ///   - subject: what it is about; nil for nothing in particular.
    ///   - options: whether suspended observers get it at once.
    @discardableResult
    public func post<Message: DistributedMessage>(
        _ message: Message, subject: String?, options: Options
    ) throws -> PostReceipt {
        let conversion = Message.conversion
        let typed = TypedNamedMessage(message, subject, conversion)
        let matched = Subject(optional: subject)
        return try detour.post(
            conversion.name.rawValue, subject, message.distributedPayload,
            isImmediate: options.contains(.deliverImmediately), engine,
            here: { engine.post(typed, named: conversion.name, about: matched) },
            orKeep: { NamedPayload(typed) })
    }

    /// Posts what is encoded already.
    ///
    /// - Parameters:
    ///   - name: what observers registered for.
    ///   - object: what it is about.
    ///   - payload: what it carries.
    ///   - options: whether suspended observers get it at once.
    /// - Returns: To how many it went, or waits to go: other processes are among those `queued`.
    /// - Throws: ``DistributedPostError`` when the name or the object is too long.
    @discardableResult
    public func post(
        name: NSNotification.Name, object: String? = nil, payload: DistributedPayload,
        options: Options = []
    ) throws -> PostReceipt {
        func message() -> ReceivedMessage {
            ReceivedMessage(
                payload, sender: ownPeer, sequence: 0,
                ReceivedTopic(name: name.rawValue, object: object))
        }
        return try detour.post(
            name.rawValue, object, payload, isImmediate: options.contains(.deliverImmediately),
            engine,
            here: {
                let topic = Topic.name(name.rawValue)
                guard engine.mayBeHeard(topic) else { return PostReceipt() }
                return engine.post(
                    NamedPayload(message()), topic, Subject(optional: object))
            },
            orKeep: { NamedPayload(message()) })
    }
}
