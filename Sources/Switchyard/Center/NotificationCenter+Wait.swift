// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// Posts a notification and waits until every handler has returned, on whatever thread it runs.
    ///
    /// Runs a handler inline if the caller is on its thread, run loop, main actor or serial
    /// operation queue, or inside another handler of its mailbox. Does not notice that the caller
    /// holds a dispatch queue or an actor: a wait for a handler there ends with the time limit. So
    /// does a wait on the main thread for an async handler of the main actor. In a subclass, this
    /// does not go through an overridden `post`.
    ///
    /// - Parameters:
    ///   - notification: the notification to post.
    ///   - retention: whether the center keeps the notification for observers that come late.
    ///   - timeout: the longest time to wait.
    /// - Returns: The receipt of the post: nothing is `queued` any more.
    /// - Throws: `PostWaitError` when the time is up, when an observer's thread has ended, or when
    ///   a handler waits, through others, for the caller: the error names them.
    @discardableResult
    public func postAndWait(
        _ notification: Notification, retaining retention: Retention? = nil, timeout: Duration
    ) throws(PostWaitError) -> PostReceipt {
        try PostWait.run(.handled, timeout: timeout) {
            engine.post(notification, retaining: retention, for: $0)
        }
    }

    /// Posts a notification with a name, an object and further information, and waits until every
    /// handler has returned; otherwise as ``postAndWait(_:retaining:timeout:)-(_,_,Duration)``.
    @discardableResult
    public func postAndWait(
        name: NSNotification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil,
        retaining retention: Retention? = nil, timeout: Duration
    ) throws(PostWaitError) -> PostReceipt {
        try postAndWait(
            Notification(name: name, object: object, userInfo: userInfo), retaining: retention,
            timeout: timeout)
    }

    /// Posts a notification and suspends until every handler has returned, on whatever thread it
    /// runs.
    ///
    /// - Parameters:
    ///   - notification: the notification to post. It must be safe to use on the handlers' threads.
    ///   - retention: whether the center keeps the notification for observers that come late.
    ///   - timeout: the longest time to wait; nil for ever.
    /// - Returns: The receipt of the post: nothing is `queued` any more.
    /// - Throws: `PostWaitError` when the time is up, when an observer's thread has ended, when a
    ///   handler waits, through others, for the calling handler, or when the task is cancelled.
    @discardableResult
    nonisolated(nonsending) public func postAndWait(
        _ notification: sending Notification, retaining retention: Retention? = nil,
        timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await PostWait.run(.handled, timeout: timeout) {
            engine.post(notification, retaining: retention, for: $0)
        }
    }

    /// Posts a notification with a name, an object and further information, and suspends until
    /// every handler has returned; otherwise as
    /// ``postAndWait(_:retaining:timeout:)-(_,_,Duration?)``.
    @discardableResult
    nonisolated(nonsending) public func postAndWait(
        name: NSNotification.Name, object: sending Any?,
        userInfo: sending [AnyHashable: Any]? = nil,
        retaining retention: Retention? = nil, timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await postAndWait(
            Notification(name: name, object: object, userInfo: userInfo), retaining: retention,
            timeout: timeout)
    }

    /// Posts a notification and suspends until every observer has room for it: those whose bound is
    /// `DeliveryBound.wait(above:)` hold the poster back, so that it is no faster than they are.
    ///
    /// - Parameters:
    ///   - notification: the notification to post. It must be safe to use on the handlers' threads.
    ///   - retention: whether the center keeps the notification for observers that come late.
    ///   - timeout: the longest time to wait; nil for ever. A delivery that had no room by then is
    ///     not made.
    /// - Throws: `PostWaitError` when the time is up, when an observer's thread has ended, when
    ///   the calling handler would wait for itself, or when the task is cancelled.
    @discardableResult
    nonisolated(nonsending) public func postWhenRoom(
        _ notification: sending Notification, retaining retention: Retention? = nil,
        timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await PostWait.run(.accepted, timeout: timeout) {
            engine.post(notification, retaining: retention, for: $0)
        }
    }
}
