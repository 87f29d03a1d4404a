// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) public import SwitchyardCore

extension NotificationCenter {
    /// The messages about `subject` as an asynchronous sequence (SF-0011).
    ///
    /// - Parameters:
    ///   - subject: the subject that they must have. Not kept alive. A task that makes an iterator
    ///     holds it for a moment: if it is not `Sendable`, see to it that the task does not hold it
    ///     last.
    ///   - identifier: the type of messages.
    ///   - limit: the number of messages kept for a slow consumer; the oldest are lost first. A
    ///     number below 1 counts as 1.
    ///   - options: the way in which each iterator observes, as an observer on `.poster` would: a
    ///     condition, for instance, or the latest value first. A one-shot iterator ends with its
    ///     first message.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    public func messages<Identifier: MessageIdentifier, Message: AsyncMessage>(
        of subject: Message.Subject, for identifier: Identifier, bufferSize limit: Int = 10,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> some AsyncSequence<Message, Never> & Sendable
    where Identifier.MessageType == Message, Message.Subject: AnyObject {
        AsyncMessageSequence<Message>(
            self, subject, limit, options, RegistrationSite(fileID, line))
    }

    /// The messages about anything or nothing as an asynchronous sequence (SF-0011).
    ///
    /// - Parameters:
    ///   - subject: the type of the messages' subject.
    ///   - identifier: the type of messages.
    ///   - limit: the number of messages kept for a slow consumer; the oldest are lost first. A
    ///     number below 1 counts as 1.
    ///   - options: the way in which each iterator observes, as an observer on `.poster` would: a
    ///     condition, for instance, or the latest value first. A one-shot iterator ends with its
    ///     first message.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    public func messages<Identifier: MessageIdentifier, Message: AsyncMessage>(
        of subject: Message.Subject.Type, for identifier: Identifier, bufferSize limit: Int = 10,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> some AsyncSequence<Message, Never> & Sendable where Identifier.MessageType == Message {
        AsyncMessageSequence<Message>(self, nil, limit, options, RegistrationSite(fileID, line))
    }

    /// The messages about `subject`, or, if that is nil, about anything or nothing, as an
    /// asynchronous sequence (SF-0011).
    ///
    /// - Parameters:
    ///   - subject: the subject that they must have. Not kept alive. A task that makes an iterator
    ///     holds it for a moment: if it is not `Sendable`, see to it that the task does not hold it
    ///     last.
    ///   - messageType: the type of messages.
    ///   - limit: the number of messages kept for a slow consumer; the oldest are lost first. A
    ///     number below 1 counts as 1.
    ///   - options: the way in which each iterator observes, as an observer on `.poster` would: a
    ///     condition, for instance, or the latest value first. A one-shot iterator ends with its
    ///     first message.
    ///   - fileID: the registering file, for reports; leave it out.
    ///   - line: the line in that file; leave it out.
    public func messages<Message: AsyncMessage>(
        of subject: Message.Subject? = nil, for messageType: Message.Type,
        bufferSize limit: Int = 10,
        options: ObservationOptions = .standard,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> some AsyncSequence<Message, Never> & Sendable where Message.Subject: AnyObject {
        AsyncMessageSequence<Message>(
            self, subject, limit, options, RegistrationSite(fileID, line))
    }
}

/// Observes from `makeAsyncIterator()` on; copies of an iterator share its messages.
private final class AsyncMessageSequence<Message: NotificationCenter.AsyncMessage>: AsyncSequence,
    // Sendable: constant; the weak reference only goes from the object to nil.
    @unchecked Sendable
{
    typealias Element = Message
    typealias Failure = Never

    private let center: NotificationCenter
    private weak let subject: AnyObject?
    private let isForSubject: Bool
    private let limit: Int
    private let options: ObservationOptions
    private let origin: RegistrationSite

    init(
        _ center: NotificationCenter, _ subject: Any?, _ limit: Int, _ options: ObservationOptions,
        _ origin: RegistrationSite
    ) {
        self.origin = origin
        self.center = center
        self.subject = subject.map { $0 as AnyObject }
        isForSubject = subject != nil
        self.limit = limit
        self.options = options
    }

    func makeAsyncIterator() -> Iterator {
        let buffer = StreamBuffer<Message>(.dropOldest(above: limit))
        // Once: it may die at any moment, and an observer of no subject hears of all.
        let subject = subject
        guard !isForSubject || subject != nil else {
            buffer.finish()
            return Iterator(buffer: buffer, observation: nil)
        }
        let token = center.engine.observe(
            StreamHandler(buffer, isOnce: options.isOnce), of: Subject(optional: subject), on: nil,
            options: options, origin: origin)
        return Iterator(buffer: buffer, observation: token)
    }

    struct Iterator: AsyncIteratorProtocol {
        let buffer: StreamBuffer<Message>
        /// Ends the observation with the last copy of the iterator.
        let observation: NotificationCenter.ObservationToken?

        mutating func next() async -> Message? { await buffer.nextElement() }
    }
}
