// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A context for async handlers.
///
/// An async handler is called from a task. An isolated handler runs on its actor, the main actor
/// say, whatever the context. A handler that is not isolated runs on the context. For each
/// observation, calls are made one at a time, in the order of posting, unless its options say
/// ``ObservationOptions/isConcurrent``.
public struct TaskContext: Sendable {
    let executor: (any TaskExecutor)?

    /// On the threads that Swift keeps for tasks.
    public static let pool = TaskContext(executor: nil)

    /// On `executor`, kept alive by the registration.
    public static func executor(_ executor: any TaskExecutor) -> TaskContext {
        TaskContext(executor: executor)
    }

    /// A mailbox for one async handler.
    package func mailbox(
        _ options: ObservationOptions, _ origin: RegistrationSite
    ) -> SharedMailbox {
        SharedMailbox(
            TaskTarget(
                label: "a task of the handler registered at \(origin)", executor: executor,
                overlapsCalls: options.isConcurrent))
    }
}

/// The tasks of one async handler, as the target of its mailbox.
private final class TaskTarget: ContextTarget {
    let label: String
    private let executor: (any TaskExecutor)?
    let overlapsCalls: Bool
    private let overlapping = OverlappingDeliveries()

    init(label: String, executor: (any TaskExecutor)?, overlapsCalls: Bool) {
        self.label = label
        self.executor = executor
        self.overlapsCalls = overlapsCalls
    }

    func wake(_ mailbox: SharedMailbox) {
        start { [self] in
            if overlapsCalls {
                await mailbox.drainAsync { entry in
                    self.overlapping.make(entry) { self.start($0) }
                }
            } else {
                await mailbox.drainAsync()
            }
        }
    }

    private func start(_ work: @escaping @Sendable () async -> Void) {
        // The task is detached: the poster lends it neither its priority nor its task-local values.
        if let executor {
            Task.detached(executorPreference: executor, operation: work)
        } else {
            Task.detached(operation: work)
        }
    }
}
