// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The pause in which an observation is registered, so that it hears the latest values first.
///
/// The user's code is asked about these values: a condition, and the equality of subjects. If that
/// ends the thread, nobody else would end the pause.
private final class FirstPause: EndsWithThread {
    private let observation: Observation

    init(of observation: Observation) { self.observation = observation }

    func threadEnds() { if observation.isPaused { observation.endFirstPause(delivering: []) } }
}

extension Observation {
    /// Calls `body`, which registers the observation, perhaps in a pause, and ends that pause. If
    /// the thread ends meanwhile, so does the pause.
    func withFirstPause(_ body: () -> Void) {
        let pause = FirstPause(of: self)
        ThreadEnd.notify(pause)
        defer { ThreadEnd.forget(pause) }
        body()
    }
}
