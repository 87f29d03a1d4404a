// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Switchyard
public import SwitchyardCore

extension MessageObserving {
    /// Waits for a message that `action` posts, before it returns or soon after.
    ///
    /// ```swift
    /// let message = try await center.expect(
    ///     ConverterAdded.self, of: converter, where: { $0.format == "RTF" }
    /// ) {
    ///     workshop.add(converter)
    /// }
    /// ```
    /// The observation begins before `action`, so that no post is missed. It changes nothing for
    /// the posts: it does not show in receipts, and a post that nobody else hears still goes to the
    /// dead-letter hook. A message is seen at the moment of its post, whatever the contexts of its
    /// observers.
    ///
    /// - Parameters:
    ///   - type: the messages to wait for. A `MainActorMessage` is waited for by its name.
    ///   - subject: the subject of the messages; nil for any subject or none.
    ///   - limit: the longest time to wait for the message after `action` has returned.
    ///   - clock: the clock on which `limit` is measured.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: whether a message is the expected one; called on the posting thread.
    ///   - action: the code that leads to the post. Runs on the caller's actor.
    /// - Returns: The first message that matches.
    /// - Throws: ``ExpectationFailure`` after `limit`, with the posts that came meanwhile; the
    ///   error of `action`; `CancellationError` when the task is cancelled.
    @discardableResult
    public func expect<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        within limit: Duration = .seconds(10), on clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Message) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws -> Message {
        try await expect(
            type, of: subject, count: 1, within: limit, on: clock, isolation: isolation,
            fileID: fileID, line: line, where: matches, action: action)[0]
    }

    /// Waits for several messages; otherwise the same as
    /// ``expect(_:of:within:on:isolation:fileID:line:where:action:)``.
    ///
    /// - Parameters:
    ///   - type: the messages to wait for.
    ///   - subject: the subject of the messages; nil for any subject or none.
    ///   - count: the least number of messages to wait for.
    ///   - limit: the longest time to wait for the messages after `action` has returned.
    ///   - clock: the clock on which `limit` is measured.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: whether a message is an expected one; called on the posting thread.
    ///   - action: the code that leads to the posts. Runs on the caller's actor.
    /// - Returns: All matching messages posted until `count` was reached and `action` had returned,
    ///   in order.
    @discardableResult
    public func expect<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil, count: Int,
        within limit: Duration = .seconds(10), on clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Message) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws -> [Message] {
        Misuse.unless(count > 0, "to expect none, use expectNone")
        let (sightings, tokens) = watch(type, subject, RegistrationSite(fileID, line), matches)
        defer { for token in tokens { token.cancel() } }
        try await action()
        try await sightings.wait(for: count, within: limit, on: clock)
        return sightings.elements
    }

    /// Fails if a message is posted while `action` runs.
    ///
    /// ```swift
    /// try await center.expectNone(ConverterAdded.self) { workshop.refuse(converter) }
    /// ```
    /// - Parameters:
    ///   - type: the messages that must not be posted.
    ///   - subject: the subject of the messages; nil for any subject or none.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: whether a message is a forbidden one; called on the posting thread.
    ///   - action: the code that must not lead to a post before it returns. Runs on the caller's
    ///     actor.
    /// - Throws: ``ExpectationFailure`` with the messages posted; the error of `action`.
    public func expectNone<Message: NotificationMessage>(
        _ type: Message.Type, of subject: Message.Subject? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Message) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws {
        let (sightings, tokens) = watch(type, subject, RegistrationSite(fileID, line), matches)
        defer { for token in tokens { token.cancel() } }
        try await action()
        try sightings.expectNone()
    }

    /// Begins to observe the expected messages and, for the failure's text, the other posts.
    private func watch<Message: NotificationMessage>(
        _ type: Message.Type, _ subject: Message.Subject?, _ origin: RegistrationSite,
        _ matches: @escaping @Sendable (Message) -> Bool
    ) -> (Sightings<Message>, [ObservationToken]) {
        let what = "\(type)" + (subject == nil ? "" : " about the subject given")
        let sightings = Sightings(what, at: origin, where: matches)
        var tokens = [
            watch(type, of: subject, on: .poster, origin: origin) { sightings.see($0) }
        ]
        if subject != nil {
            tokens.append(
                watch(type, of: nil, on: .poster, origin: origin) { _ in
                    sightings.countAnySubject(1)
                })
        }
        if let center = self as? NotificationCenter {
            tokens.append(
                center.watch(nil, of: nil, on: .poster, origin: origin) { sightings.seeOther($0) })
        }
        return (sightings, tokens)
    }
}
