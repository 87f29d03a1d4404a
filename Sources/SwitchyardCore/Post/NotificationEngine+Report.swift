// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension NotificationEngine {
    /// Tells the problem hook, or, without one, standard error.
    package func report(_ problem: DeliveryProblem) { registry.hooks.report(problem) }

    /// Sets the hook that is called with every problem; nil: a line on standard error.
    package func onProblem(_ hook: (@Sendable (DeliveryProblem) -> Void)?) {
        registry.hooks.setProblem(hook)
    }

    /// Sets the hook that is called, on the posting thread, with the topic of each post that
    /// reached nobody.
    package func onDeadLetter(_ hook: (@Sendable (String) -> Void)?) {
        registry.hooks.setDeadLetter(hook)
    }

    /// Tells `listener` of problems and dead letters from now on, beside the hooks.
    package func add(_ listener: CenterListener) { registry.hooks.add(listener) }

    /// Tells `listener` nothing more.
    package func remove(_ listener: CenterListener) { registry.hooks.remove(listener) }

    /// Tells the listeners of a problem that somebody else has taken care of.
    package func tellListeners(_ problem: DeliveryProblem) {
        registry.hooks.tellListeners(problem)
    }

    /// Whether somebody follows the center's posts.
    @inline(__always)
    package var isFollowed: Bool { registry.hooks.isFollowed }

    /// The follower of the center's posts; nil: nobody.
    package var follower: PostFollower? {
        get { registry.hooks.follower }
        set { registry.hooks.follower = newValue }
    }

    /// Delivers a post of another process, by `deliver`, with the context that it took along, if
    /// the center is followed. An empty context stands for none: the follower learns all the same
    /// that the post comes from elsewhere.
    package func bringing(_ context: [String: String], _ deliver: () -> Void) {
        guard let follower, !context.isEmpty || follower.receivesWithoutContext else {
            return deliver()
        }
        follower.receiving(CarriedContext(context), deliver)
    }

    /// Whether deliveries on the posting thread are counted for ``snapshot()``.
    package var collectsStatistics: Bool {
        get { registry.hooks.collectsStatistics }
        set { registry.hooks.collectsStatistics = newValue }
    }

    /// Names the center for tools that look at the process from outside.
    package func setName(_ name: String) { CenterDirectory.setName(name, of: registry) }

    /// The live registrations.
    package func snapshot() -> CenterSnapshot {
        CenterSnapshot(
            entries: registry.observations.map { CenterSnapshot.Entry($0) },
            expired: registry.hooks.expired.load(ordering: .relaxed))
    }
}
