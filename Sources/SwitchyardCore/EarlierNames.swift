// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Earlier names. The compiler offers the new ones; these go with version 0.1.0.

@available(*, deprecated, renamed: "DeliveryPace")
public typealias Pace = DeliveryPace

@available(*, deprecated, renamed: "MessageStream.Event")
public typealias StreamEvent<Message: NotificationMessage> = MessageStream<Message>.Event

extension StreamBuffering {
    @available(*, deprecated, renamed: "dropOldest(above:)")
    public static func newest(_ limit: Int) -> StreamBuffering { .dropOldest(above: limit) }

    @available(*, deprecated, renamed: "dropNewest(above:)")
    public static func oldest(_ limit: Int) -> StreamBuffering { .dropNewest(above: limit) }
}

extension MessageObserving {
    @available(*, deprecated, renamed: "stream(_:of:buffering:fileID:line:)")
    public func stream<Message: NotificationMessage>(
        of type: Message.Type, about subject: Message.Subject? = nil,
        buffering: StreamBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> MessageStream<Message> {
        stream(type, of: subject, buffering: buffering, fileID: fileID, line: line)
    }
}

extension ObservationOptions {
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
    @available(*, deprecated, renamed: "PollableMailboxError")
    public typealias OutOfDescriptors = PollableMailboxError
}
