// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
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

    /// A center that stands in for `shared`, with the default queues that threads asked for meanwhile. The
    /// queues are released with it.
    private final class Replacement: Sendable {
        let center: NotificationCenter
        private let queues = Guarded<[ObjectIdentifier: NotificationQueue]>([:])

        init(_ center: NotificationCenter) { self.center = center }

        /// The default queue of a backlog's thread. For the owner of the backlog, which its queue
        /// keeps, so that no other gets its identity.
        func queue(of backlog: Backlog) -> NotificationQueue {
            let id = ObjectIdentifier(backlog)
            if let known = queues.withLock({ $0[id] }) { return known }
            let made = NotificationQueue(notificationCenter: center, backlog: backlog)
            queues.withLock { $0[id] = made }
            return made
        }
    }

    @TaskLocal private static var replacement: Replacement?

    /// The caller's `NotificationCenter.default`.
    static var current: NotificationCenter {
        hasReplacements.load(ordering: .relaxed) ? replacementOrShared : shared
    }

    @inline(never)
    private static var replacementOrShared: NotificationCenter { replacement?.center ?? shared }

    /// The queue that stands in for the default queue of a backlog's thread, where a center stands in
    /// for `shared`. For the owner of the backlog.
    static func replacementQueue(of backlog: Backlog) -> NotificationQueue? {
        guard hasReplacements.load(ordering: .relaxed) else { return nil }
        return replacement?.queue(of: backlog)
    }

    /// Runs `body` with `center` in place of the process's, for this task, or this thread, and for
    /// the tasks that inherit its task-local values.
    package static func replace<Result>(
        with center: NotificationCenter, _ body: () throws -> Result
    ) rethrows -> Result {
        hasReplacements.store(true, ordering: .relaxed)
        return try $replacement.withValue(Replacement(center), operation: body)
    }

    /// Replaces the default center while asynchronous `body` runs.
    package static func replace<Result>(
        with center: NotificationCenter, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        hasReplacements.store(true, ordering: .relaxed)
        return try await $replacement.withValue(
            Replacement(center), operation: body, isolation: isolation)
    }
}
