// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

// The interests that other processes have to know.
extension DistributedIntake {
    /// The interests that the peers have been told of.
    public var interests: [DistributedInterest] { interest.told }

    /// Returns the interests that this process has gained or lost since the last call. Tells the
    /// problem hook of observers that other processes can't reach.
    public func takeInterestChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        reportUnheard()
        defer { forgetUnheardValues() }
        return takeToldChanges()
    }

    /// Returns the changed interests without a call of the problem hook.
    package func takeToldChanges() -> [(interest: DistributedInterest, isObserved: Bool)] {
        interest.takeChanges()
    }

    /// Forgets the latest values that no observer here hears of any more, now that the peers know
    /// what is observed. Not to be called under a lock: a value's end may run the user's code.
    package func forgetUnheardValues() { latest.forgetUnheard() }

    /// Tells the problem hook of observers that other processes can't reach. Not to be called under
    /// a lock: the hook is the user's.
    package func reportUnheard() {
        for problem in interest.takeUnheard() {
            engine.report(DeliveryProblem(.notDistributable, problem))
        }
    }
}
