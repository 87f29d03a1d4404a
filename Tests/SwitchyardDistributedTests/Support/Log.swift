// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore

/// What handlers noted down, in order. Safe from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let storage = Guarded<[Entry]>([])

    var entries: [Entry] { storage.withLock { $0 } }

    func add(_ entry: Entry) { storage.withLock { $0.append(entry) } }

    /// Waits until there are `count` entries, four minutes at most; what there is.
    @discardableResult
    func arrival(of count: Int) async -> [Entry] {
        await until { entries.count >= count }
        return entries
    }
}

/// Waits for what no one tells of, four minutes at most, and blocks no thread.
@discardableResult
func until(_ isSo: () -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(240)
    while !isSo() {
        if ContinuousClock.now > limit { return false }
        await Task.yield()
    }
    return true
}
