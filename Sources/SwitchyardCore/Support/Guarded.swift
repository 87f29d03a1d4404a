// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A value behind a lock.
///
/// Not `Synchronization.Mutex`: on Linux that is a priority-inheriting futex, which the kernel
/// hands to the thread that waited longest. Once threads meet there, each use costs a context
/// switch, and it stays so for as long as they come back: eight threads that post to one mailbox on
/// two cores got 28,000 posts a second through it, and 1,000,000 through this one, which goes to
/// the thread that runs. ThreadSanitizer knows this lock as well, while it does not see into
/// `Mutex`.
package struct Guarded<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable: `value` is touched only under `lock`.
    private let lock: OpaquePointer
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        lock = switchyard_lock_create()
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    /// Has every fork wait for the lock, so that the child finds the value whole, and the lock free:
    /// no thread but the forking one lives on there.
    ///
    /// For values that live as long as the process, under whose locks nobody forks. Under such a
    /// lock, no other is taken but one for which this was called later, before anybody could hold
    /// the first. At most 32 in a process.
    package borrowing func holdAcrossForks() { switchyard_lock_hold_across_forks(lock) }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        switchyard_lock_destroy(lock)
    }

    /// Calls `body` with the value, alone.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        switchyard_lock_acquire(lock)
        defer { switchyard_lock_release(lock) }
        return try body(&value.pointee)
    }
}

extension Guarded where Value: ~Copyable {
    /// The value, for the caller alone until ``release()``: for code that is called so often that
    /// it can't afford to have captures and results of ``withLock(_:)`` handled through metadata.
    package borrowing func acquire() -> UnsafeMutablePointer<Value> {
        switchyard_lock_acquire(lock)
        return value
    }

    /// Ends what ``acquire()`` began.
    package borrowing func release() { switchyard_lock_release(lock) }
}

extension Guarded where Value: Sendable {
    /// Calls `body` if nobody else has the value.
    ///
    /// - Returns: Whether it did.
    package borrowing func tryWithLock(_ body: (inout Value) -> Void) -> Bool {
        guard switchyard_lock_try(lock) else { return false }
        defer { switchyard_lock_release(lock) }
        body(&value.pointee)
        return true
    }

    /// Puts `new` in place of the value, and gives that to the caller: destroying it may be the
    /// user's code, and is done when the lock is free.
    package borrowing func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}
