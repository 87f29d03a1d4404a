// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// A gate that holds threads back until a number of threads have arrived, or a thread opens it.
package final class Gate: @unchecked Sendable {
    // Sendable: `missing` is behind the condition's lock.
    private let changed = NSCondition()
    private var missing: Int

    package init(_ count: Int = 1) { missing = count }

    package var isOpen: Bool {
        changed.lock()
        defer { changed.unlock() }
        return missing <= 0
    }

    package func arrive() {
        changed.lock()
        missing -= 1
        changed.broadcast()
        changed.unlock()
    }

    package func open() {
        changed.lock()
        missing = 0
        changed.broadcast()
        changed.unlock()
    }

    /// Blocks until the gate is open; false if ``patience`` was over before.
    @discardableResult
    package func wait() -> Bool {
        let limit = Date(timeIntervalSinceNow: patience / .seconds(1))
        changed.lock()
        defer { changed.unlock() }
        while missing > 0 {
            if !changed.wait(until: limit) { return missing <= 0 }
        }
        return true
    }

    package func arriveAndWait() {
        arrive()
        wait()
    }
}
