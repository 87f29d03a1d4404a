// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if !canImport(Darwin)
internal import CSwitchyardCoreFoundation

/// A dispatch queue that C code passed, retained.
final class QueuePointer: @unchecked Sendable {
    // Sendable: the pointer is constant, and queues may be used from any thread.
    private let queue: UnsafeMutableRawPointer

    /// Work on its way to a queue.
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    init(_ queue: UnsafeMutableRawPointer) {
        self.queue = queue
        switchyard_queue_retain(queue)
    }

    deinit { switchyard_queue_release(queue) }

    /// Has `body` called on the queue.
    func async(_ body: @escaping @Sendable () -> Void) {
        switchyard_queue_async(queue, Unmanaged.passRetained(Work(body)).toOpaque()) { work in
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
        }
    }
}
#endif
