// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Dispatch

/// The main dispatch queue, which runs the main actor's code.
enum MainQueue {
    /// The key by which the queue is told from others: its object is another at each use on Linux.
    static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller runs on the main actor: on the main thread, also inside `queue.sync`
    /// there, or on the main queue. Under `dispatchMain()` and async `@main` any thread may run
    /// that queue, and the main thread runs nothing any more but what belongs to its own end.
    static var isCurrent: Bool {
        switchyard_is_main_thread() && !switchyard_main_thread_has_ended()
            || DispatchQueue.getSpecific(key: key) == true
    }
}
