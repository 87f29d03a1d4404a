// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

public import Switchyard

extension NotificationCenter {
    /// Runs `body` with `center` as its `NotificationCenter.default`. Tests that run at the same
    /// time do not hear each other if each has a center of its own.
    ///
    /// ```swift
    /// @Test func addingPosts() async throws {
    ///     let center = NotificationCenter()
    ///     try await NotificationCenter.withDefault(center) {
    ///         try await center.expect(ConverterAdded.self) { Workshop().addConverter() }
    ///     }
    /// }
    /// ```
    /// The replacement reaches `body`, the functions that it calls, its child tasks, each task that
    /// it starts with `Task { … }`, and the handlers that run within a post made there. It does not
    /// reach a `Thread`, a dispatch or operation queue, a detached task, a handler that is
    /// delivered on another context, or an async handler. There, `NotificationCenter.default` is
    /// the process's center. Code that asked for the center before goes on with the one it got.
    ///
    /// `NotificationQueue.default` is a queue for `center` wherever `NotificationCenter.default` is
    /// `center`; `NotificationQueue.main` still posts to the process's center.
    ///
    /// In a process that never calls `withDefault`, asking for the default center costs one atomic
    /// load more.
    ///
    /// - Parameters:
    ///   - center: the replacement for the process's center. It has no bridge to Foundation's
    ///     center.
    ///   - isolation: the caller's isolation; leave it out.
    ///   - body: the code to run, on the caller's actor.
    /// - Returns: The value that `body` returns.
    @discardableResult
    public static func withDefault<Result>(
        _ center: NotificationCenter, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await DefaultCenter.replace(with: center, isolation: isolation, body)
    }

    /// Runs the synchronous `body` with `center` as its `NotificationCenter.default`. The
    /// replacement reaches as far as with the asynchronous form; on a thread that runs no task, it
    /// holds for that thread.
    ///
    /// - Parameters:
    ///   - center: the replacement for the process's center. It has no bridge to Foundation's
    ///     center.
    ///   - body: the code to run.
    /// - Returns: The value that `body` returns.
    @discardableResult
    public static func withDefault<Result>(
        _ center: NotificationCenter, _ body: () throws -> Result
    ) rethrows -> Result {
        try DefaultCenter.replace(with: center, body)
    }
}
