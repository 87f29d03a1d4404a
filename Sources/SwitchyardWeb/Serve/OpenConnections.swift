// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
internal import SwitchyardCore

/// The connections that are open: so many at most. One more takes the place of the oldest that has
/// not made its request yet: a program that opens connections and says nothing keeps nobody out
/// for long.
final class OpenConnections: Sendable {
    private struct Entry {
        let number: Int
        let close: @Sendable () -> Void
        var hasAsked = false
    }

    private struct State {
        var last = 0
        /// The oldest first.
        var entries: [Entry] = []
    }

    private let limit: Int
    /// Guarded by its own lock.
    private let state = Guarded(State())

    init(_ limit: Int) { self.limit = limit }

    /// Adds a connection.
    ///
    /// - Parameter close: ends the connection; called on any thread, at most once, and never after
    ///   ``leave(_:)``. It must not come back here.
    /// - Returns: Its number; nil if there are too many already.
    func enter(_ close: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            if state.entries.count >= limit {
                guard let silent = state.entries.firstIndex(where: { !$0.hasAsked }) else {
                    return nil
                }
                state.entries.remove(at: silent).close()
            }
            state.last += 1
            state.entries.append(Entry(number: state.last, close: close))
            return state.last
        }
    }

    /// Says that the request of a connection is complete.
    func hasAsked(_ number: Int) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.number == number }) else {
                return
            }
            state.entries[index].hasAsked = true
        }
    }

    /// Says that a connection has ended.
    func leave(_ number: Int) {
        state.withLock { $0.entries.removeAll { $0.number == number } }
    }
}
#endif
