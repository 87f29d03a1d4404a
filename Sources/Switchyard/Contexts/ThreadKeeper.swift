// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// Stops a ``DeliveryThread`` when nothing needs it any more: the thread's mailbox holds this.
///
/// The thread is needed by its handle, the `DeliveryThread`, by registrations, and by centers that
/// deliver there by default. A context that names the thread, and with which nothing was registered
/// yet, needs it too: the context keeps the mailbox, and the mailbox keeps this.
final class ThreadKeeper: Sendable {
    private struct Registration {
        weak var observation: Observation?
    }

    private struct State: Sendable {
        var isHandleGone = false
        /// The number of registrations, and of centers that deliver there by default.
        var users = 0
        var hadUsers = false
        /// The registrations that end with an observer object.
        var ofObservers: [ObjectIdentifier: Registration] = [:]
        /// This keeper, while there are users: in a mailbox for other modes than the common
        /// ones, they hold the keeper in no other way.
        var itself: ThreadKeeper?

        var isNeeded: Bool { !isHandleGone || users > 0 || !hadUsers }
    }

    private let state = Guarded(State())
    private let stop: @Sendable () -> Void

    /// - Parameter stop: stops the thread; may be called more than once.
    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }

    /// Called when the thread's handle has gone. An object that owned it, and is going too, may
    /// have been an observer on the thread: such a registration must not keep the thread until the
    /// next post.
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
            state.ofObservers[ObjectIdentifier(observation)] = registration
            return begin(&state)
        }
    }

    func registrationEnded(_ observation: Observation) {
        change { state in
            state.ofObservers[ObjectIdentifier(observation)] = nil
            return end(&state)
        }
    }

    func centerBegan() { change(begin) }

    func centerEnded() { change(end) }

    private func begin(_ state: inout State) -> ThreadKeeper? {
        state.users += 1
        state.hadUsers = true
        state.itself = self
        return nil
    }

    private func end(_ state: inout State) -> ThreadKeeper? {
        state.users -= 1
        return state.users == 0 ? state.itself.take() : nil
    }

    /// Changes the state, and stops the thread if nothing needs it any more.
    ///
    /// - Parameter body: returns the objects to release when the lock is free.
    private func change(_ body: (inout State) -> ThreadKeeper?) {
        let (isNeeded, released) = state.withLock { state in
            let released = body(&state)
            return (state.isNeeded, released)
        }
        if !isNeeded { stop() }
        withExtendedLifetime(released) {}
    }
}
