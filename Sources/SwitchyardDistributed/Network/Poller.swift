// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A set of watched descriptors. One thread waits for events; other threads can end its wait.
package final class Poller: @unchecked Sendable {
    // Sendable: both are descriptors, which the system lets all threads use.
    /// The token of ``wake()`` among the events.
    package static let wakeToken: UInt64 = 0

    private let descriptor: Int32
    private let signal: switchyard_signal

    package init() throws(DistributedCenterError) {
        descriptor = switchyard_poller_create()
        signal = switchyard_signal_create()
        if descriptor >= 0 { _ = switchyard_fork_closes(descriptor) }
        guard descriptor >= 0, signal.read_end >= 0 else {
            throw .outOfDescriptors
        }
        guard watch(signal.read_end, as: Self.wakeToken, reads: true) else {
            throw DistributedCenterError(.outOfDescriptors, Self.advice)
        }
    }

    deinit {
        switchyard_fork_close(descriptor)
        switchyard_signal_close(signal)
    }

    /// Ends a wait on another thread; the next one, if none is under way.
    package func wake() { switchyard_signal_raise(signal) }

    /// Watches a descriptor.
    ///
    /// - Returns: Whether the system does so: it may lack memory, or allow this user no more.
    package func watch(
        _ watched: Int32, as token: UInt64, reads: Bool = false, writes: Bool = false
    ) -> Bool {
        switchyard_poller_set(descriptor, watched, token, reads, writes) == 0
    }

    /// The problem and the advice for a descriptor that the system does not watch.
    package static let advice =
        "the system watches no more descriptors for this user: raise fs.epoll.max_user_watches"

    package func forget(_ watched: Int32) { switchyard_poller_remove(descriptor, watched) }

    /// Calls `body` for each event. Returns without a call after `milliseconds`; a negative number
    /// is no limit.
    ///
    /// - Returns: Whether there was an event.
    @discardableResult
    package func wait(
        milliseconds: Int32 = -1, _ body: (_ token: UInt64, _ isReadable: Bool) -> Void
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: switchyard_event.self, capacity: 64) { events in
            let count = switchyard_poller_wait(descriptor, events.baseAddress, 64, milliseconds)
            for event in events.prefix(max(0, Int(count))) {
                if event.token == Self.wakeToken { switchyard_signal_clear(signal) }
                body(event.token, event.is_readable)
            }
            return count > 0
        }
    }
}
