// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CBenchmarks

/// The least that a mailbox does: numbers in an array behind a lock, and one wake-up for all that
/// came since the last drain.
final class Batch: @unchecked Sendable {
    // Sendable: `lock` guards `waiting` and `isSignalled`; `taken` belongs to who drains, one at a
    // time.

    /// The lock is no `Mutex`, which on Linux goes to the thread that waited longest: two producers
    /// then change places at every message, for 50 µs each.
    private let lock = benchmarks_lock_create()
    private var waiting: [Int] = []
    private var isSignalled = false
    private var taken: [Int] = []
    private let receiver: Receiver

    init(_ receiver: Receiver) { self.receiver = receiver }

    deinit { benchmarks_lock_destroy(lock) }

    /// Adds a number. Returns whether the place has to be woken.
    func add(_ value: Int) -> Bool {
        benchmarks_lock_acquire(lock)
        waiting.append(value)
        let wakes = !isSignalled
        isSignalled = true
        benchmarks_lock_release(lock)
        return wakes
    }

    /// Gives the receiver what waits.
    func drain() {
        benchmarks_lock_acquire(lock)
        swap(&waiting, &taken)
        isSignalled = false
        benchmarks_lock_release(lock)
        for value in taken { receiver.receive(value) }
        taken.removeAll(keepingCapacity: true)
    }
}
