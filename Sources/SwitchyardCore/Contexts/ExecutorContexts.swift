// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension DeliveryContext {
    /// On `executor`, in the order of posting, one delivery after the other. The registration keeps
    /// the executor alive.
    public static func executor(_ executor: any TaskExecutor) -> DeliveryContext {
        .mailbox(
            ExecutorTargets.taskExecutors.mailbox(of: executor) {
                SharedMailbox(TaskExecutorTarget(executor))
            })
    }

    /// On `executor`, in the order of posting. The registration keeps the executor alive.
    ///
    /// The main actor's executor is ``MainContext/main``. Any other executor and an actor that runs
    /// on it are two contexts, with an order of their own each.
    public static func executor(_ executor: any SerialExecutor) -> DeliveryContext {
        if executor === MainActor.sharedUnownedExecutor.asSerialExecutor() {
            return .mailbox(.main)
        }
        return .mailbox(
            ExecutorTargets.serialExecutors.mailbox(of: executor) {
                SharedMailbox(SerialExecutorTarget(executor))
            })
    }

    /// On the executor of `actor`, in the order of posting: between its other work, with one
    /// wake-up for all deliveries that have come by then. The actor is not kept alive, except by a
    /// delivery that is on its way to it; observations end with it, at the next post.
    ///
    /// `MainActor.shared` is ``MainContext/main``. Two actors that share an executor, and an actor
    /// that runs on a dispatch queue and that queue, are two contexts, with an order of their own
    /// each.
    ///
    /// To use the actor's state, have the handler take it: `observe(Message.self, on: actor) {
    /// actor, message in … }`.
    public static func actor(_ actor: any Actor) -> DeliveryContext {
        if actor === MainActor.shared { return .mailbox(.main) }
        return .mailbox(
            ExecutorTargets.actors.mailbox(
                of: actor, belongs: { ($0.target as? ActorTarget)?.isOf(actor) ?? false }
            ) {
                SharedMailbox(ActorTarget(actor))
            })
    }
}

/// The directories of the mailboxes of executors and actors. They are three, because the mailbox of
/// an actor may outlive it, and an executor may get its address. An actor may also be an executor
/// itself, and one object an executor of both kinds.
private enum ExecutorTargets {
    static let taskExecutors = MailboxDirectory()
    static let serialExecutors = MailboxDirectory()
    static let actors = MailboxDirectory()
}

/// A task executor as the target of a mailbox.
private final class TaskExecutorTarget: ContextTarget {
    private let executor: any TaskExecutor

    init(_ executor: any TaskExecutor) { self.executor = executor }

    var label: String { "executor \(type(of: executor))" }

    func wake(_ mailbox: SharedMailbox) {
        Task.detached(executorPreference: executor) { mailbox.drainAll() }
    }
}

/// A serial executor as the target of a mailbox: through an actor that runs on it.
private final class SerialExecutorTarget: ContextTarget {
    private actor Runner {
        let executor: any SerialExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        init(_ executor: any SerialExecutor) { self.executor = executor }

        func drain(_ mailbox: SharedMailbox) { mailbox.drainAll() }
    }

    private let runner: Runner
    let label: String

    init(_ executor: any SerialExecutor) {
        runner = Runner(executor)
        label = "executor \(type(of: executor))"
    }

    func wake(_ mailbox: SharedMailbox) {
        Task.detached { [runner] in await runner.drain(mailbox) }
    }
}

/// An actor as the target of a mailbox.
private final class ActorTarget: ContextTarget {
    private weak let actor: (any Actor)?
    let label: String

    init(_ actor: any Actor) {
        self.actor = actor
        label = "actor \(type(of: actor))"
    }

    func isOf(_ other: any Actor) -> Bool { actor === other }

    var hasGone: Bool { actor == nil }

    func wake(_ mailbox: SharedMailbox) {
        Task.detached { [weak actor] in
            if let actor { await Self.drain(mailbox, on: actor) } else { mailbox.expireWaiting() }
        }
    }

    private static func drain(_ mailbox: SharedMailbox, on actor: isolated any Actor) {
        mailbox.drainAll()
    }
}
