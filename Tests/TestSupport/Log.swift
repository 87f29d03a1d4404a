// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// Entries that handlers noted down, in order. Safe from any thread, and can be waited for.
package final class Log<Entry: Sendable>: @unchecked Sendable {
    // Sendable: `storage` is behind the condition's lock.
    private var storage: [Entry] = []
    private let changed = NSCondition()

    package init() {}

    package var entries: [Entry] {
        changed.lock()
        defer { changed.unlock() }
        return storage
    }

    package func add(_ entry: Entry) {
        changed.lock()
        storage.append(entry)
        changed.broadcast()
        changed.unlock()
    }

    /// Waits until there are `count` entries, or until ``patience`` is over; blocks the thread.
    ///
    /// - Returns: the entries at that time.
    @discardableResult
    package func wait(for count: Int) -> [Entry] {
        let limit = Date(timeIntervalSinceNow: patience / .seconds(1))
        changed.lock()
        defer { changed.unlock() }
        while storage.count < count, changed.wait(until: limit) {}
        return storage
    }

    /// Waits as ``wait(for:)`` does, and blocks no thread of the pool.
    ///
    /// - Returns: the entries at that time.
    @discardableResult
    package func arrival(of count: Int) async -> [Entry] {
        await until { entries.count >= count }
        return entries
    }
}
