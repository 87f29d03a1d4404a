// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The center of the process, with its bridge to Foundation's, and what stands in for it in tests.
package enum DefaultCenter {
    static let shared: NotificationCenter = {
        let center = NotificationCenter()
        FoundationBridge.connect(center)
        return center
    }()

    /// Whether anything has ever stood in for `shared`: a program that is no test never asks further.
    private static let hasReplacements = Atomic<Bool>(false)

    @TaskLocal private static var replacement: NotificationCenter?

    /// What `NotificationCenter.default` is to the caller.
    static var current: NotificationCenter {
        hasReplacements.load(ordering: .relaxed) ? replacementOrShared : shared
    }

    @inline(never)
    private static var replacementOrShared: NotificationCenter { replacement ?? shared }

    /// Runs `body` with `center` in place of the process's, for this task, or this thread, and for
    /// the tasks that inherit its task-local values.
    package static func replace<Result>(
        with center: NotificationCenter, _ body: () throws -> Result
    ) rethrows -> Result {
        hasReplacements.store(true, ordering: .relaxed)
        return try $replacement.withValue(center, operation: body)
    }

    /// As above, for asynchronous code.
    package static func replace<Result>(
        with center: NotificationCenter, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        hasReplacements.store(true, ordering: .relaxed)
        return try await $replacement.withValue(center, operation: body, isolation: isolation)
    }
}
