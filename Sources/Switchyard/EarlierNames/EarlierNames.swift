// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Earlier names. The compiler offers the new ones; version 0.2.0 has them no more.

public import Foundation
public import SwitchyardCore

extension SharedMailbox {
    /// Earlier name of `Thread.attachCurrentForDelivery()`.
    @available(*, deprecated, renamed: "Thread.attachCurrentForDelivery()")
    @available(*, noasync, message: "a task changes threads")
    @discardableResult
    public static func attachCurrentThread() -> SharedMailbox { Thread.attachCurrentForDelivery() }

    /// Earlier form: ask the thread: thread.deliveryMailbox.
    @available(*, deprecated, message: "ask the thread: thread.deliveryMailbox")
    public static func ofThread(_ thread: Thread) -> SharedMailbox? { thread.deliveryMailbox }
}

extension DeliveryMailbox {
    /// Earlier name of `Thread.attachCurrentForDelivery()`.
    @available(*, deprecated, renamed: "Thread.attachCurrentForDelivery()")
    @available(*, noasync, message: "a task changes threads")
    @discardableResult
    public static func attachCurrentThread() -> SharedMailbox { Thread.attachCurrentForDelivery() }

    /// Earlier form: ask the thread: thread.deliveryMailbox.
    @available(*, deprecated, message: "ask the thread: thread.deliveryMailbox")
    public static func ofThread(_ thread: Thread) -> SharedMailbox? { thread.deliveryMailbox }
}

extension ThreadPort.SendError {
    /// Earlier name of `Code`.
    @available(*, deprecated, renamed: "Code")
    public typealias Kind = Code

    /// Earlier name of `code`.
    @available(*, deprecated, renamed: "code")
    public var kind: Code { code }
}
