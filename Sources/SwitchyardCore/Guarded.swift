// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// A value behind a `Mutex`.
///
/// On Linux, `Mutex` goes to the kernel by itself, in a library that ThreadSanitizer does not see
/// into, so everything behind one looks like a race to it. In debug builds, which are those it runs
/// on, this tells it what a lock orders. In release builds it is the `Mutex`.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    #if DEBUG
    /// An address that stands for the lock.
    private final class Tag: Sendable {}
    private let tag = Tag()
    #endif

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls `body` with the value, alone.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            #if DEBUG
            let address = Unmanaged.passUnretained(tag).toOpaque()
            switchyard_sanitizer_acquire(address)
            defer { switchyard_sanitizer_release(address) }
            #endif
            return try body(&value)
        }
    }
}
