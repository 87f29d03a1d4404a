// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A signal that one thread waits for and others raise.
package final class ThreadSignal: @unchecked Sendable {
    // Sendable: constant; what it points to has a lock of its own.
    private let signal: OpaquePointer = switchyard_thread_signal_create()

    package init() {}
    deinit { switchyard_thread_signal_destroy(signal) }

    /// Ends the wait, or, if nobody waits, the next one.
    package func raise() { switchyard_thread_signal_raise(signal) }

    /// Waits until raised.
    ///
    /// - Parameter limit: until when at most; nil for ever.
    /// - Returns: Whether it was raised in time.
    package func wait(until limit: ContinuousClock.Instant? = nil) -> Bool {
        guard let limit else { return switchyard_thread_signal_wait(signal, -1) }
        let (seconds, attoseconds) = (limit - ContinuousClock.now).components
        if seconds < 0 || attoseconds < 0 { return switchyard_thread_signal_wait(signal, 0) }
        // A century is for ever.
        let nanoseconds = min(seconds, 3_155_760_000) * 1_000_000_000 + attoseconds / 1_000_000_000
        return switchyard_thread_signal_wait(signal, nanoseconds)
    }
}
