// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// Stops a ``DeliveryThread`` when nothing needs it any more: the thread's mailbox holds this.
///
/// The thread is needed by its handle, the `DeliveryThread`, and by registrations. A context that names
/// the thread and has not been registered with needs it too, and keeps the mailbox: this goes with the
/// mailbox.
final class ThreadKeeper: Sendable {
    private struct Registration {
        weak var observation: Observation?
    }

    private struct State: Sendable {
        var isHandleGone = false
        var registrations = 0
        var hadRegistrations = false
        /// The registrations that end with an observer object.
        var ofObservers: [ObjectIdentifier: Registration] = [:]
        /// This keeper, while there are registrations: in a mailbox for other modes than the common
        /// ones, they hold the keeper in no other way.
        var itself: ThreadKeeper?

        var isNeeded: Bool { !isHandleGone || registrations > 0 || !hadRegistrations }
    }

    private let state = Guarded(State())
    private let stop: @Sendable () -> Void

    /// - Parameter stop: stops the thread; may be called more than once.
    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Called when the thread's handle has gone. An object that owned it, and is going too, may have been
    /// an observer on the thread: such a registration must not keep the thread until the next post.
    func handleHasGone() {
        let observations = state.withLock { state in
            state.ofObservers.values.compactMap(\.observation)
        }
        for observation in observations { observation.expireIfObserverDied() }
        change { state in
            state.isHandleGone = true
            return nil
        }
    }

    func registrationBegan(_ observation: Observation) {
        let registration =
            observation.hasObserver ? Registration(observation: observation) : nil
        change { state in
            state.registrations += 1
            state.hadRegistrations = true
            state.ofObservers[ObjectIdentifier(observation)] = registration
            state.itself = self
            return nil
        }
    }

    func registrationEnded(_ observation: Observation) {
        change { state in
            state.registrations -= 1
            state.ofObservers[ObjectIdentifier(observation)] = nil
            return state.registrations == 0 ? state.itself.take() : nil
        }
    }

    /// Changes the state, and stops the thread if nothing needs it any more.
    ///
    /// - Parameter body: returns what is to be released when the lock is free.
    private func change(_ body: (inout State) -> ThreadKeeper?) {
        let (isNeeded, released) = state.withLock { state in
            let released = body(&state)
            return (state.isNeeded, released)
        }
        if !isNeeded { stop() }
        withExtendedLifetime(released) {}
    }
}
