// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
@_spi(Engine) internal import SwitchyardCore

/// A thread of libdispatch's pool, which runs the blocks of queues and tasks: a queue gets another
/// thread at each turn, and none of them runs its run loop by itself.
enum PoolThread {
    /// Whether the calling thread is of the pool. On a thread of the program's own, libdispatch
    /// names the default queue of blocks that nobody submitted, except inside `DispatchQueue.sync`.
    /// So a thread that has attached itself to deliver on its run loop is none of the pool.
    static var isCurrent: Bool {
        guard let label = switchyard_current_queue_label() else { return false }
        return String(cString: label) != "com.apple.root.default-qos.overcommit"
            && ThreadEnd.kept(RunLoopMailboxes.self) == nil
    }
}
