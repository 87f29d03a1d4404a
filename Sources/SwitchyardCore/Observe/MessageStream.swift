// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The messages of a type as an asynchronous sequence, from the call of `stream` on, for one
/// consumer.
public struct MessageStream<Message: NotificationMessage>: AsyncSequence, Sendable {
    /// An element of the stream.
    public enum Event: Sendable {
        /// A message, in the order of posting.
        case message(Message)
        /// The consumer fell behind: this many messages were dropped at this point, before the next
        /// message or after the last one.
        case lagged(Int)

        /// The message; nil for a gap. For chains such as `stream.compactMap(\.message)`.
        public var message: Message? {
            if case .message(let message) = self { message } else { nil }
        }
    }

    /// A message, or the number of messages that were dropped at this point.
    public typealias Element = Event
    /// Iteration throws nothing.
    public typealias Failure = Never

    private let buffer: StreamBuffer<Message>
    private let token: ObservationToken

    init(_ buffer: StreamBuffer<Message>, _ token: ObservationToken) {
        self.buffer = buffer
        self.token = token
    }

    /// The iterator. All iterators of one stream share its messages between them.
    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer, token: token) }

    /// Takes the messages of a stream one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: StreamBuffer<Message>
        fileprivate let token: ObservationToken

        /// The next event; nil when the task is cancelled, or when no message waits and the center
        /// has gone, or the subject has died and somebody has found that.
        public mutating func next() async -> Event? {
            switch await buffer.next() {
            case .element(let message): .message(message)
            case .gap(let lost): .lagged(lost)
            case nil: nil
            }
        }
    }
}

extension MessageObserving {
    /// The messages of a type as an asynchronous sequence. It observes from this call on, so
    /// nothing posted after it is missed; the observation ends when the stream and its iterators
    /// go.
    ///
    /// ```swift
    /// for await event in center.stream(ConverterAdded.self) {
    ///     if case .message(let message) = event { print(message.format) }
    /// }
    /// ```
    /// - Parameters:
    ///   - type: the messages to observe.
    ///   - subject: the subject that they must have; nil for any or none.
    ///   - buffering: the messages to keep for a slow consumer; dropped ones show as
    ///     ``MessageStream/Event/lagged(_:)``.
    ///   - options: the way in which the stream observes, as an observer on `.poster` would: a
    ///     condition (``ObservationOptions/where(_:)-swift.method``), for instance, or the latest
    ///     value first (``ObservationOptions/replayingLatest-swift.property``). A one-shot stream
    ///     ends with its first message.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    public func stream<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        buffering: StreamBuffering = .unbounded, options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> MessageStream<Message> {
        let buffer = StreamBuffer<Message>(buffering)
        let token = engine.observe(
            StreamHandler(buffer, isOnce: options.isOnce), of: Subject(optional: subject), on: nil,
            options: options, origin: RegistrationSite(fileID, line))
        return MessageStream(buffer, token)
    }
}
