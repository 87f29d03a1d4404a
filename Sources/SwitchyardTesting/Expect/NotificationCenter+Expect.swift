// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

extension NotificationCenter {
    /// Waits for a notification that `action` posts, before it returns or soon after. The
    /// counterpart of XCTest's
    /// [expectation(forNotification:object:handler:)](https://developer.apple.com/documentation/xctest/xctestcase/expectation(fornotification:object:handler:))
    /// for Foundation's center.
    ///
    /// ```swift
    /// let notification = try await center.expect(.converterAdded, of: converter) {
    ///     workshop.add(converter)
    /// }
    /// ```
    /// The observation begins before `action`, so that no post is missed. It changes nothing for
    /// the posts: it does not show in receipts, and a post that nobody else hears still goes to the
    /// dead-letter hook. A notification is seen at the moment of its post, whatever the contexts of
    /// its observers. The compiler does not check that a notification may cross threads, here as
    /// elsewhere. A notification that was posted from its object's `deinit` comes without the
    /// object.
    ///
    /// - Parameters:
    ///   - name: the name to wait for; nil for any.
    ///   - object: the object of the notifications; nil for any object or none.
    ///   - limit: the longest time to wait for the notification after `action` has returned.
    ///   - clock: the clock on which `limit` is measured.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: whether a notification is the expected one; called on the posting thread.
    ///   - action: the code that leads to the post. Runs on the caller's actor.
    /// - Returns: The first notification that matches.
    /// - Throws: ``ExpectationFailure`` after `limit`, with the posts that came meanwhile; the
    ///   error of `action`; `CancellationError` when the task is cancelled.
    @discardableResult
    public func expect(
        _ name: Notification.Name?, of object: Any? = nil,
        within limit: Duration = .seconds(10), on clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Notification) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws -> Notification {
        try await expect(
            name, of: object, count: 1, within: limit, on: clock, isolation: isolation,
            fileID: fileID, line: line, where: matches, action: action)[0]
    }

    /// Waits for several notifications; otherwise the same as
    /// ``expect(_:of:within:on:isolation:fileID:line:where:action:)``.
    ///
    /// - Parameters:
    ///   - name: the name to wait for; nil for any.
    ///   - object: the object of the notifications; nil for any object or none.
    ///   - count: the least number of notifications to wait for.
    ///   - limit: the longest time to wait for the notifications after `action` has returned.
    ///   - clock: the clock on which `limit` is measured.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: whether a notification is an expected one; called on the posting thread.
    ///   - action: the code that leads to the posts. Runs on the caller's actor.
    /// - Returns: All matching notifications posted until `count` was reached and `action` had
    ///   returned, in order.
    @discardableResult
    public func expect(
        _ name: Notification.Name?, of object: Any? = nil, count: Int,
        within limit: Duration = .seconds(10), on clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Notification) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws -> [Notification] {
        Misuse.unless(count > 0, "to expect none, use expectNone")
        let (sightings, tokens) = watch(name, object, RegistrationSite(fileID, line), matches)
        defer { for token in tokens { token.cancel() } }
        try await action()
        try await sightings.wait(for: count, within: limit, on: clock)
        return sightings.elements
    }

    /// Fails if a notification is posted while `action` runs. The counterpart of XCTest's inverted
    /// expectation.
    ///
    /// - Parameters:
    ///   - name: the name that must not be posted; nil for any.
    ///   - object: the object of the notifications; nil for any object or none.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: whether a notification is a forbidden one; called on the posting thread.
    ///   - action: the code that must not lead to a post before it returns. Runs on the caller's
    ///     actor.
    /// - Throws: ``ExpectationFailure`` with the notifications posted; the error of `action`.
    public func expectNone(
        _ name: Notification.Name?, of object: Any? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Notification) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws {
        let (sightings, tokens) = watch(name, object, RegistrationSite(fileID, line), matches)
        defer { for token in tokens { token.cancel() } }
        try await action()
        try sightings.expectNone()
    }

    /// Begins to observe the expected notifications and, for the failure's text, the other posts.
    private func watch(
        _ name: Notification.Name?, _ object: Any?, _ origin: RegistrationSite,
        _ matches: @escaping @Sendable (Notification) -> Bool
    ) -> (Sightings<Notification>, [ObservationToken]) {
        let what =
            (name.map { "\"\($0.rawValue)\"" } ?? "notification")
            + (object == nil ? "" : " about the object given")
        let sightings = Sightings(what, at: origin, where: matches)
        let tokens = [
            watch(name, of: object, on: .poster, origin: origin) { sightings.see($0.storable) },
            watch(nil, of: nil, on: .poster, origin: origin) { sightings.seeOther($0) },
        ]
        return (sightings, tokens)
    }
}
