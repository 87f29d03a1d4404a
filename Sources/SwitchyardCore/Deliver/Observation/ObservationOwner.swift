// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The part of a center that an observation was added to, as the observation knows it.
///
/// Observations and mailboxes need little of the registry: a few calls when an observation ends or
/// has something to report. So they know this class, and the registry's lists are free to change.
class ObservationOwner: @unchecked Sendable {
    // Sendable: nothing is stored here; the subclass answers for itself.

    /// The topic and subject for which its observations are registered.
    var topic: Topic { overridden() }

    /// The word that a posting thread publishes while it searches the registry.
    var registryIdentity: UInt { overridden() }

    /// Takes an observation, which the caller has cancelled, out of what posts find.
    ///
    /// - Returns: The lists that may still contain it, for a look at who walks them.
    func remove(_ observation: Observation) -> WalkedLists { overridden() }

    /// Takes all observations that have ended out of what posts walk.
    func takeOut() { overridden() }

    /// Ends `observation`, whose object has died, now that the deliveries before that were made.
    func endBehindMail(_ observation: Observation) { overridden() }

    /// The deliveries that wait because `observation` is paused.
    ///
    /// - Parameter makes: whether to make an object for them if there is none.
    /// - Returns: Nil if there is none, or if the observation has ended.
    func pausedDeliveries(of observation: Observation, makes: Bool) -> PausedDeliveries? {
        overridden()
    }

    /// The lists that may contain its observations.
    var walkedLists: WalkedLists { overridden() }

    /// The object to which `observation` belongs, if that was said at its registration, and the
    /// observation has not ended.
    func registeredOwner(of observation: Observation) -> OwnerReference? { overridden() }

    /// Tells the center's problem hook.
    func report(_ problem: DeliveryProblem) { overridden() }

    /// Counts an observation that ends because its observer object has died.
    func countExpired() { overridden() }

    private func overridden(_ name: String = #function) -> Never {
        preconditionFailure("a subclass of ObservationOwner overrides \(name)")
    }
}
