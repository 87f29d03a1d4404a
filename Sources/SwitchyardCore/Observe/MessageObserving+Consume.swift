// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Calls `handler` with every message of a type, on the posting thread, and lets it end the
    /// post there.
    ///
    /// ```swift
    /// let token = center.consume(KeyPressed.self, priority: 1) { key in
    ///     key.isEscape ? .consumed : .passed
    /// }
    /// ```
    /// A message that is consumed is not delivered to the observers behind this one: those of lower
    /// priority, and those that were registered later. Observers before it have heard it, or have
    /// it in their mailbox. The post's receipt says so (``PostReceipt/isConsumed``). Only a handler
    /// on the posting thread can decide in time, so there is no form with a context.
    ///
    /// - Parameters:
    ///   - type: the messages to see.
    ///   - subject: the subject that they must have; nil for any or none.
    ///   - priority: the rank among the observers of a post; see
    ///     ``ObservationOptions/priority-swift.property``.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - handler: says whether the post goes on. If it throws, the error goes to the center's
    ///     problem hook, and the post goes on. A delivery that is made late, because the
    ///     observation was paused, ends nothing.
    /// - Returns: The token that ends the observation when its last copy goes.
    public func consume<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, priority: Int = 0,
        fileID: StaticString = #fileID, line: UInt = #line,
        using handler: @escaping @Sendable (Message) throws -> Consumption
    ) -> ObservationToken {
        engine.observe(
            ConsumingHandler(handler), of: Subject(optional: subject), on: nil,
            options: .consuming(priority: priority), origin: RegistrationSite(fileID, line))
    }
}

extension ObservationOptions {
    /// The options of a handler that may consume.
    package static func consuming(priority: Int) -> ObservationOptions {
        var options = ObservationOptions.priority(priority)
        options.consumes = true
        return options
    }
}
