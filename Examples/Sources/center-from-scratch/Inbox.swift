// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization

/// Deliveries that wait, in order, until the owner of the inbox drains it.
final class Inbox: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        /// Whether the owner knows that something waits.
        var isSignalled = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable (Inbox) -> Void

    /// - Parameter wake: has the inbox drained soon, on the owner's thread.
    init(wake: @escaping @Sendable (Inbox) -> Void) { self.wake = wake }

    /// Called on the posting thread.
    func put(_ delivery: @escaping @Sendable () -> Void) {
        let wakes = state.withLock { state in
            state.waiting.append(delivery)
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if wakes { wake(self) }
    }

    /// Called on the owner's thread.
    func drain() {
        let taken = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for delivery in taken { delivery() }
    }
}
