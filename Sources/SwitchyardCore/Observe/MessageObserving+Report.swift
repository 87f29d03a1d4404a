// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Posts `message` as `post(_:)` does and says what that did. In a subclass of a center, this
    /// does not go through an overridden `post`.
    @discardableResult
    public func postAndReport<Message: NotificationMessage>(_ message: Message) -> PostReceipt {
        engine.post(message, for: nil)
    }

    /// Posts `message` as `post(_:subject:)` does and says what that did. In a subclass of a
    /// center, this does not go through an overridden `post`.
    @discardableResult
    public func postAndReport<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject
    ) -> PostReceipt {
        engine.post(message, about: subject, as: Subject(subject))
    }

    /// Calls `hook` with every problem of a delivery, on the thread where it came up. Nil, as at
    /// first: problems go to standard error, a line each.
    ///
    /// Problems that the hook itself causes before it returns go to standard error as well. Those
    /// of deliveries that it queues are told to it: a hook that posts to observers elsewhere looks
    /// at ``DeliveryProblem/topic`` first, and posts nothing about a problem with its own posts.
    public func onProblem(_ hook: (@Sendable (DeliveryProblem) -> Void)?) {
        engine.onProblem(hook)
    }

    /// Calls `hook` with the name or type of every post that reached nobody, on the posting thread.
    /// The hook is not called for posts that it makes before it returns, nor, by a distributed
    /// center that knows of them, for posts that other processes hear.
    public func onDeadLetter(_ hook: (@Sendable (_ topic: String) -> Void)?) {
        engine.onDeadLetter(hook)
    }

    /// Whether deliveries on the posting thread are counted for ``snapshot()``. Off at first: a
    /// counter that all posting threads write ends their independence.
    public var collectsStatistics: Bool {
        get { engine.collectsStatistics }
        set { engine.collectsStatistics = newValue }
    }

    /// The live registrations: topic, context, origin, and the number of waiting deliveries.
    ///
    /// - Complexity: O(n log n) in the number of registrations.
    public func snapshot() -> CenterSnapshot { engine.snapshot() }
}
