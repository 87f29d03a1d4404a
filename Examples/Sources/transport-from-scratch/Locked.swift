// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation

/// A value behind a lock.
///
/// `Synchronization.Mutex` would do as well, but ThreadSanitizer does not see into it.
final class Locked<Value>: @unchecked Sendable {
    // Sendable: `value` is touched only under `lock`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
