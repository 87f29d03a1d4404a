// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension Registry {
    /// Returns the store of the deliveries that wait because `observation` is paused. Makes it if
    /// there is none and `makes` is true. Returns nil if there is none then, or if the observation
    /// or its center has ended.
    func pausedDeliveries(of observation: Observation, makes: Bool) -> PausedDeliveries? {
        let id = ObjectIdentifier(observation)
        guard observation.has(Observation.State.wasPaused) || makes else { return nil }
        return state.withLock { state in
            if let known = state.paused[id] { return known }
            // An observation that is cancelled from now on is forgotten under the lock, later. One
            // that is paused had a store, which went with the center: it stays paused.
            guard makes, !observation.isCancelled, !observation.isPaused else { return nil }
            let new = PausedDeliveries(of: observation)
            state.paused[id] = new
            observation.state.bitwiseOr(Observation.State.wasPaused, ordering: .relaxed)
            return new
        }
    }
}
