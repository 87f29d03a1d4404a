// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import Synchronization

/// The center of the process, with its bridge to Foundation's, and the centers that stand in for it
/// in tests.
package enum DefaultCenter {
    static let shared: NotificationCenter = {
        let center = NotificationCenter()
        center.engine.setName("default center")
        FoundationBridge.connect(center.engine)
        return center
    }()

    /// Whether anything has ever stood in for `shared`: a program that is no test never asks
    /// further.
    private static let hasReplacements = Atomic<Bool>(false)

    /// A center that stands in for `shared`, with the objects that were made for it alone: each
    /// thread's default queue. They are released with it.
    final class Replacement: Sendable {
        let center: NotificationCenter
        private let objects = Guarded<[ObjectIdentifier: any AnyObject & Sendable]>([:])

        init(_ center: NotificationCenter) { self.center = center }

        /// The object that belongs to `owner` as long as this center stands in; made at the first
        /// call.
        ///
        /// - Parameters:
        ///   - owner: the object's owner, whose thread is the caller's. The object keeps it, so
        ///     that no other owner gets its identity.
        ///   - make: makes the object.
        func object<Object: AnyObject & Sendable>(
            of owner: AnyObject, _ make: (NotificationCenter) -> Object
        ) -> Object {
            let id = ObjectIdentifier(owner)
            if let known = objects.withLock({ $0[id] }) as? Object { return known }
            let made = make(center)
            objects.withLock { $0[id] = made }
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

    /// The caller's stand-in for `shared`; nil where there is none.
    static var currentReplacement: Replacement? {
        hasReplacements.load(ordering: .relaxed) ? replacement : nil
    }

    /// Runs `body` with `center` instead of the process's, for this task, or this thread, and for
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
