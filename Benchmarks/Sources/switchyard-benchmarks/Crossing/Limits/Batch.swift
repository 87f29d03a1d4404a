// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The least that a mailbox does: numbers in an array behind a lock, and one wake-up for all that
/// came since the last drain.
final class Batch: @unchecked Sendable {
    // Sendable: `waiting` is locked; `taken` belongs to who drains, one at a time.

    private struct Waiting {
        var values: [Int] = []
        var isSignalled = false
    }

    private let waiting = Mutex(Waiting())
    private var taken: [Int] = []
    private let receiver: Receiver

    init(_ receiver: Receiver) { self.receiver = receiver }

    /// Adds a number. Returns whether the place has to be woken.
    func add(_ value: Int) -> Bool {
        waiting.withLock { waiting in
            waiting.values.append(value)
            defer { waiting.isSignalled = true }
            return !waiting.isSignalled
        }
    }

    /// Gives the receiver what waits.
    func drain() {
        waiting.withLock { waiting in
            swap(&waiting.values, &taken)
            waiting.isSignalled = false
        }
        for value in taken { receiver.receive(value) }
        taken.removeAll(keepingCapacity: true)
    }
}
