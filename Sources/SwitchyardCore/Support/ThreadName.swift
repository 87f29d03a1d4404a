// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The calling thread's name, as debuggers show it.
///
/// Not `Thread.current.name`: on Linux what is set there before the thread's start, or right after
/// it, may not reach the thread.
package enum ThreadName {
    package static var current: String {
        get {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
                guard let start = buffer.baseAddress else { return "" }
                switchyard_get_thread_name(start, 64)
                return String(cString: start)
            }
        }
        set { switchyard_set_thread_name(newValue) }
    }
}
