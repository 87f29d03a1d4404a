// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Deliveries to one async handler whose calls overlap: each has a task of its own, and tasks come
/// in any order.
///
/// The end of a registration whose object has died must not overtake the deliveries before it,
/// which would find the registration ended: it waits until their tasks are done.
final class OverlappingDeliveries: Sendable {
    private struct State: Sendable {
        /// The number of deliveries whose tasks are not done.
        var underWay = 0
        /// Ends of registrations, which wait for these tasks.
        var ends: [MailEntry] = []
    }

    private let state = Guarded(State())

    /// Makes the delivery of `entry` in a task that `start` begins.
    func make(_ entry: MailEntry, in start: (@escaping @Sendable () async -> Void) -> Void) {
        guard entry.endsRegistration else {
            state.withLock { $0.underWay += 1 }
            return start { [self] in
                await entry.deliverAsync()
                await taskIsDone()
            }
        }
        let waits = state.withLock { state in
            if state.underWay > 0 { state.ends.append(entry) }
            return state.underWay > 0
        }
        if !waits { start { await entry.deliverAsync() } }
    }

    private func taskIsDone() async {
        let ends = state.withLock { state in
            state.underWay -= 1
            guard state.underWay == 0 else { return [MailEntry]() }
            defer { state.ends = [] }
            return state.ends
        }
        for entry in ends { await entry.deliverAsync() }
    }
}
