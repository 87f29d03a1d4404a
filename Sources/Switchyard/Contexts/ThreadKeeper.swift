// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// Ends a ``DeliveryThread`` when nothing needs it any more: the thread's mailbox holds this.
///
/// The thread is needed by its handle, the `DeliveryThread`, and by registrations. A context that names
/// the thread and has not been registered with needs it too, and keeps the mailbox: this goes with the
/// mailbox.
final class ThreadKeeper: Sendable {
    private struct State: Sendable {
        var isHandleGone = false
        var registrations = 0
        var hadRegistrations = false

        var isNeeded: Bool { !isHandleGone || registrations > 0 || !hadRegistrations }
    }

    private let state = Guarded(State())
    private let body: DeliveryThreadBody

    init(_ body: DeliveryThreadBody) { self.body = body }

    deinit { body.stop() }

    func handleHasGone() { change { $0.isHandleGone = true } }

    func registrationBegan() {
        change { state in
            state.registrations += 1
            state.hadRegistrations = true
        }
    }

    func registrationEnded() { change { $0.registrations -= 1 } }

    private func change(_ body: (inout State) -> Void) {
        let isNeeded = state.withLock { state in
            body(&state)
            return state.isNeeded
        }
        if !isNeeded { self.body.stop() }
    }
}
