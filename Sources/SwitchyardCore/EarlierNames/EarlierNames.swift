// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Earlier names. The compiler offers the new ones; version 0.2.0 has them no more.

/// Earlier name of `DeliveryPace`.
@available(*, deprecated, renamed: "DeliveryPace")
public typealias Pace = DeliveryPace

/// Earlier name of `MessageStream.Event`.
@available(*, deprecated, renamed: "MessageStream.Event")
public typealias StreamEvent<Message: NotificationMessage> = MessageStream<Message>.Event

extension StreamBuffering {
    /// Earlier name of `dropOldest(above:)`.
    @available(*, deprecated, renamed: "dropOldest(above:)")
    public static func newest(_ limit: Int) -> StreamBuffering { .dropOldest(above: limit) }

    /// Earlier name of `dropNewest(above:)`.
    @available(*, deprecated, renamed: "dropNewest(above:)")
    public static func oldest(_ limit: Int) -> StreamBuffering { .dropNewest(above: limit) }
}

extension MessageObserving {
    /// Earlier name of `stream(_:of:buffering:options:fileID:line:)`.
    @available(*, deprecated, renamed: "stream(_:of:buffering:options:fileID:line:)")
    public func stream<Message: NotificationMessage>(
        of type: Message.Type, about subject: Message.Subject? = nil,
        buffering: StreamBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> MessageStream<Message> {
        stream(type, of: subject, buffering: buffering, fileID: fileID, line: line)
    }
}

extension ObservationOptions {
    /// Earlier form: combine options: .once.queued.priority(1).
    @available(*, deprecated, message: "combine options: .once.queued.priority(1)")
    public init(
        once: Bool = false, priority: Int = 0, queued: Bool = false, bound: DeliveryBound? = nil,
        pace: DeliveryPace? = nil, isConcurrent: Bool = false
    ) {
        self.init()
        isOnce = once
        self.priority = priority
        isQueued = queued
        self.isConcurrent = isConcurrent
        self.bound = bound
        self.pace = pace
    }
}

extension PollableMailbox {
    /// Earlier name of `PollableMailboxError`.
    @available(*, deprecated, renamed: "PollableMailboxError")
    public typealias OutOfDescriptors = PollableMailboxError
}
