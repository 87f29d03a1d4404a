// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Registry {
    /// The deliveries that wait because `observation` is paused; nil if it has ended, or if there are none and
    /// none are to be made room for.
    func pausedDeliveries(of observation: Observation, makes: Bool) -> PausedDeliveries? {
        let id = ObjectIdentifier(observation)
        guard observation.has(Observation.State.wasPaused) || makes else { return nil }
        return state.withLock { state in
            if let known = state.paused[id] { return known }
            // An observation that is cancelled from now on is forgotten under the lock, later.
            guard makes, !observation.isCancelled else { return nil }
            let new = PausedDeliveries(of: observation)
            state.paused[id] = new
            observation.state.bitwiseOr(Observation.State.wasPaused, ordering: .relaxed)
            return new
        }
    }
}
