// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Posts `message`, and keeps it for observers that come late, until another takes its place.
    ///
    /// ```swift
    /// center.post(Connected(to: host), retaining: .latest)
    /// center.latest(Connected.self)                                                // Connected(to: host)
    /// let token = center.observe(Connected.self, options: .replayingLatest) { … }  // hears it, then what comes
    /// ```
    /// One message is kept for each type and subject. Observers that ask for a replay hear it
    /// (``ObservationOptions/replayingLatest-swift.property``); a post without `retaining` leaves
    /// it as it is. May be called from any thread, like `post`. The message is no dead letter if
    /// nobody hears it yet. In a subclass of a center, this does not go through an overridden
    /// `post`.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - retention: the messages to keep: the latest.
    /// - Returns: A receipt of what the post did.
    /// - Complexity: O(observers that match). Takes the lock under which observers are added.
    @discardableResult
    public func post<Message: NotificationMessage>(
        _ message: Message, retaining retention: Retention
    ) -> PostReceipt {
        engine.post(retaining: message, about: nil, as: .none)
    }

    /// Posts `message` about `subject`, and keeps it for observers that come late, until another
    /// about the same subject takes its place; otherwise as `post(_:retaining:)`.
    ///
    /// A subject that is an instance is not kept alive. Some time after its end, the message is let
    /// go; it is not delivered any more.
    @discardableResult
    public func post<Message: NotificationMessage>(
        _ message: Message, subject: Message.Subject, retaining retention: Retention
    ) -> PostReceipt {
        engine.post(retaining: message, about: subject, as: Subject(subject))
    }

    /// Returns the latest message of a type about `subject` that was posted with
    /// ``Retention/latest``; with nil, the one about nothing in particular. Returns nil if there is
    /// none.
    public func latest<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil
    ) -> Message? {
        engine.latest(type, about: Subject(optional: subject))
    }

    /// Forgets the latest message of a type about `subject`; with nil, the one about nothing in
    /// particular. Observers that register later do not hear it.
    ///
    /// - Returns: That message; nil if there was none.
    @discardableResult
    public func removeLatest<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil
    ) -> Message? {
        engine.removeLatest(type, about: Subject(optional: subject))
    }
}
