// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// MARK: - Waiting for the handlers

extension MessageObserving {
    /// Posts `message` and waits until every handler has returned, on whatever thread it runs.
    ///
    /// Runs a handler inline if the caller is on its thread, run loop, main actor or serial
    /// operation queue, or inside another handler of its mailbox. Does not notice that the caller
    /// holds a dispatch queue or an actor: a wait for a handler there ends with the time limit. So
    /// does a wait on the main thread for an async handler of the main actor. In a subclass of a
    /// center, this does not go through an overridden `post`.
    ///
    /// - Parameters:
    ///   - message: the message to post.
    ///   - retention: whether the center keeps the message for observers that come late.
    ///   - timeout: the longest time to wait.
    /// - Returns: The receipt of the post: nothing is `queued` any more.
    /// - Throws: ``PostWaitError`` when the time is up, when an observer's thread has ended, or
    ///   when a handler waits, through others, for the caller: the error names them.
    @discardableResult
    public func postAndWait<Message: NotificationMessage>(
        _ message: Message, retaining retention: Retention? = nil, timeout: Duration
    ) throws(PostWaitError) -> PostReceipt {
        try PostWait.run(.handled, timeout: timeout) {
            engine.post(message, retaining: retention, for: $0)
        }
    }

    /// Posts `message` about `subject` and waits until every handler has returned, on whatever
    /// thread it runs; otherwise as ``postAndWait(_:retaining:timeout:)-(_,_,Duration)``.
    @discardableResult
    public func postAndWait<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, retaining retention: Retention? = nil,
        timeout: Duration
    ) throws(PostWaitError) -> PostReceipt {
        try PostWait.run(.handled, timeout: timeout) {
            engine.post(
                message, about: subject, as: Subject(subject), retaining: retention, for: $0)
        }
    }

    /// Posts `message` and suspends until every handler has returned, on whatever thread it runs.
    ///
    /// Cancelling the task ends the wait with an error; the post is not taken back.
    ///
    /// - Parameters:
    ///   - message: the message to post.
    ///   - retention: whether the center keeps the message for observers that come late.
    ///   - timeout: the longest time to wait; nil for ever.
    /// - Returns: The receipt of the post: nothing is `queued` any more.
    /// - Throws: ``PostWaitError`` when the time is up, when an observer's thread has ended, when a
    ///   handler waits, through others, for the calling handler, or when the task is cancelled.
    @discardableResult
    nonisolated(nonsending) public func postAndWait<Message: NotificationMessage>(
        _ message: Message, retaining retention: Retention? = nil, timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await PostWait.run(.handled, timeout: timeout) {
            engine.post(message, retaining: retention, for: $0)
        }
    }

    /// Posts `message` about `subject` and suspends until every handler has returned, on whatever
    /// thread it runs.
    @discardableResult
    nonisolated(nonsending) public func postAndWait<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, retaining retention: Retention? = nil,
        timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await PostWait.run(.handled, timeout: timeout) {
            engine.post(
                message, about: subject, as: Subject(subject), retaining: retention, for: $0)
        }
    }
}

// MARK: - Waiting for room

extension MessageObserving {
    /// Posts `message` and waits until every observer has room for it: those whose bound is
    /// ``DeliveryBound/wait(above:)`` hold the poster back, so that it is no faster than they are.
    ///
    /// - Parameters:
    ///   - message: the message to post.
    ///   - retention: whether the center keeps the message for observers that come late.
    ///   - timeout: the longest time to wait. A delivery that had no room by then is not made.
    /// - Throws: ``PostWaitError`` when the time is up, when an observer's thread has ended, or
    ///   when only a thread that waits for the caller could make room: the error names the whole
    ///   cycle.
    @discardableResult
    public func postWhenRoom<Message: NotificationMessage>(
        _ message: Message, retaining retention: Retention? = nil, timeout: Duration
    ) throws(PostWaitError) -> PostReceipt {
        try PostWait.run(.accepted, timeout: timeout) {
            engine.post(message, retaining: retention, for: $0)
        }
    }

    /// Posts `message` about `subject` and waits until every observer has room for it; otherwise as
    /// ``postWhenRoom(_:retaining:timeout:)-(_,_,Duration)``.
    @discardableResult
    public func postWhenRoom<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, retaining retention: Retention? = nil,
        timeout: Duration
    ) throws(PostWaitError) -> PostReceipt {
        try PostWait.run(.accepted, timeout: timeout) {
            engine.post(
                message, about: subject, as: Subject(subject), retaining: retention, for: $0)
        }
    }

    /// Posts `message` and suspends until every observer has room for it: those whose bound is
    /// ``DeliveryBound/wait(above:)`` hold the poster back, so that it is no faster than they are.
    ///
    /// ```swift
    /// for sample in samples { try await center.postWhenRoom(sample) }
    /// ```
    /// - Parameters:
    ///   - message: the message to post.
    ///   - retention: whether the center keeps the message for observers that come late.
    ///   - timeout: the longest time to wait; nil for ever. A delivery that had no room by then is
    ///     not made.
    /// - Throws: ``PostWaitError`` when the time is up, when an observer's thread has ended, when
    ///   the calling handler would wait for itself, or when the task is cancelled.
    @discardableResult
    nonisolated(nonsending) public func postWhenRoom<Message: NotificationMessage>(
        _ message: Message, retaining retention: Retention? = nil, timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await PostWait.run(.accepted, timeout: timeout) {
            engine.post(message, retaining: retention, for: $0)
        }
    }

    /// Posts `message` about `subject` and suspends until every observer has room for it; otherwise
    /// as ``postWhenRoom(_:retaining:timeout:)-(_,_,Duration?)``.
    @discardableResult
    nonisolated(nonsending) public func postWhenRoom<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, retaining retention: Retention? = nil,
        timeout: Duration? = nil
    ) async throws(PostWaitError) -> PostReceipt {
        try await PostWait.run(.accepted, timeout: timeout) {
            engine.post(
                message, about: subject, as: Subject(subject), retaining: retention, for: $0)
        }
    }
}

extension NotificationEngine {
    /// Posts a message without a subject, with a wait; retains it if `retention` says so.
    fileprivate func post<Message: NotificationMessage>(
        _ message: Message, retaining retention: Retention?, for wait: PostWait
    ) -> PostReceipt {
        if retention == nil { return post(message, for: wait) }
        return post(retaining: message, about: nil, as: .none, for: wait)
    }

    /// Posts a message about `object`, with a wait; retains it if `retention` says so.
    fileprivate func post<Message: NotificationMessage>(
        _ message: Message, about object: Message.Subject, as subject: Subject,
        retaining retention: Retention?, for wait: PostWait
    ) -> PostReceipt {
        if retention == nil { return post(message, about: object, as: subject, for: wait) }
        return post(retaining: message, about: object, as: subject, for: wait)
    }
}
