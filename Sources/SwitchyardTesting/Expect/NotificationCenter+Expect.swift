// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

extension NotificationCenter {
    /// Waits for a notification that `action` has posted, or will have posted soon after: what
    /// XCTest's
    /// [expectation(forNotification:object:handler:)](https://developer.apple.com/documentation/xctest/xctestcase/expectation(fornotification:object:handler:))
    /// is for Foundation's center.
    ///
    /// ```swift
    /// let notification = try await center.expect(.converterAdded, of: converter) {
    ///     workshop.add(converter)
    /// }
    /// ```
    /// It observes before `action` begins, so that no post is missed. It changes nothing of what it
    /// observes: it does not show in receipts, and what only it hears still goes to the dead-letter
    /// hook. A notification is seen when it is posted, wherever its observers hear it. It is as
    /// unchecked as any that crosses threads. One that is posted from its object's `deinit` comes
    /// without the object.
    ///
    /// - Parameters:
    ///   - name: the name to wait for; nil for any.
    ///   - object: what it must be about; nil for anything or nothing.
    ///   - limit: how long to wait for it after `action` has returned.
    ///   - clock: the clock on which `limit` is measured.
    ///   - isolation: the caller's; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: which of them; called on the posting thread.
    ///   - action: what leads to the post. Run on the caller's actor.
    /// - Returns: The first notification that matches.
    /// - Throws: ``ExpectationFailure`` after `limit`, with what was posted meanwhile; what `action`
    ///   throws; `CancellationError` when the task is cancelled.
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

    /// Waits for several notifications; otherwise as
    /// ``expect(_:of:within:on:isolation:fileID:line:where:action:)``.
    ///
    /// - Parameters:
    ///   - name: the name to wait for; nil for any.
    ///   - object: what they must be about; nil for anything or nothing.
    ///   - count: how many at least.
    ///   - limit: how long to wait for them after `action` has returned.
    ///   - clock: the clock on which `limit` is measured.
    ///   - isolation: the caller's; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: which of them; called on the posting thread.
    ///   - action: what leads to the posts. Run on the caller's actor.
    /// - Returns: What had come when `count` was reached and `action` had returned, in order.
    @discardableResult
    public func expect(
        _ name: Notification.Name?, of object: Any? = nil, count: Int,
        within limit: Duration = .seconds(10), on clock: any Clock<Duration> = ContinuousClock(),
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Notification) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws -> [Notification] {
        precondition(count > 0, "to expect none, use expectNone")
        let (sightings, tokens) = watch(name, object, RegistrationPlace(fileID, line), matches)
        defer { for token in tokens { token.cancel() } }
        try await action()
        try await sightings.wait(for: count, within: limit, on: clock)
        return sightings.elements
    }

    /// Fails if a notification is posted while `action` runs: XCTest's inverted expectation.
    ///
    /// - Parameters:
    ///   - name: the name that must not be posted; nil for any.
    ///   - object: what it is about; nil for anything or nothing.
    ///   - isolation: the caller's; leave it out.
    ///   - fileID: the expecting file, for the failure; leave it out.
    ///   - line: the line in that file; leave it out.
    ///   - matches: which of them; called on the posting thread.
    ///   - action: what must not lead to a post before it returns. Run on the caller's actor.
    /// - Throws: ``ExpectationFailure`` with what came; what `action` throws.
    public func expectNone(
        _ name: Notification.Name?, of object: Any? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        where matches: @escaping @Sendable (Notification) -> Bool = { _ in true },
        action: () async throws -> Void
    ) async throws {
        let (sightings, tokens) = watch(name, object, RegistrationPlace(fileID, line), matches)
        defer { for token in tokens { token.cancel() } }
        try await action()
        try sightings.expectNone()
    }

    /// Begins to look: at what is expected, and, for the report, at what is not.
    private func watch(
        _ name: Notification.Name?, _ object: Any?, _ origin: RegistrationPlace,
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
