// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

extension NotificationCenter {
    /// Runs `body`, to which `NotificationCenter.default` is `center`: a center for each test, so that
    /// tests that run at the same time do not hear each other.
    ///
    /// ```swift
    /// @Test func addingPosts() async throws {
    ///     let center = NotificationCenter()
    ///     try await NotificationCenter.withDefault(center) {
    ///         try await center.expect(ConverterAdded.self) { Workshop().addConverter() }
    ///     }
    /// }
    /// ```
    /// It reaches `body`, what that calls, its child tasks and each `Task { … }` it starts, and the
    /// handlers that run within a post made there. It does not reach a `Thread`, a dispatch or
    /// operation queue, a detached task, handlers that are delivered on another context, nor async
    /// handlers: `NotificationCenter.default` is the process's there. Code that asked for the center
    /// before goes on with what it got.
    ///
    /// Without any such call in the process, asking for the default center costs nothing more.
    ///
    /// - Parameters:
    ///   - center: what stands in for the process's center. It has no bridge to Foundation's.
    ///   - isolation: the caller's; leave it out.
    ///   - body: what is run, on the caller's actor.
    /// - Returns: What `body` returns.
    @discardableResult
    public static func withDefault<Result>(
        _ center: NotificationCenter, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await DefaultCenter.replace(with: center, isolation: isolation, body)
    }

    /// Runs `body`, to which `NotificationCenter.default` is `center`, before it returns. What is
    /// said of the asynchronous form holds here; on a thread that runs no task, it is that thread
    /// which is reached.
    ///
    /// - Parameters:
    ///   - center: what stands in for the process's center. It has no bridge to Foundation's.
    ///   - body: what is run.
    /// - Returns: What `body` returns.
    @discardableResult
    public static func withDefault<Result>(
        _ center: NotificationCenter, _ body: () throws -> Result
    ) rethrows -> Result {
        try DefaultCenter.replace(with: center, body)
    }
}
