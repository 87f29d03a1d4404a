// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// Threads that libdispatch lends to queues and tasks: which one it is changes, and none of them runs
/// its run loop by itself.
enum LentThread {
    /// Whether libdispatch lent the calling thread out. On threads of the program's own it reports
    /// the default queue of blocks that nobody submitted.
    static var isCurrent: Bool {
        guard let label = switchyard_current_queue_label() else { return false }
        return String(cString: label) != "com.apple.root.default-qos.overcommit"
    }
}
