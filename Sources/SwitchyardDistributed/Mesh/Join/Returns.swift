// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The connections that are back after they broke. The center is told of the first at once, and of
/// those that follow within a second together: each time, it tells all others what it has, and asks
/// them all. Belongs to the mesh's reading thread.
struct Returns {
    /// The time of the last news; nil before the first.
    private var last: UInt64?
    /// The time of the next news; nil if there is none.
    private var due: UInt64?

    /// Nanoseconds between two news.
    static let pause: UInt64 = 1_000_000_000

    /// Notes that a connection is back.
    mutating func add(at now: UInt64 = switchyard_now()) {
        if due == nil { due = last.map { max(now, $0 + Self.pause) } ?? now }
    }

    /// Whether the center is to be told now. The news is taken with that.
    mutating func takeDue(at now: UInt64 = switchyard_now()) -> Bool {
        guard let due, due <= now else { return false }
        last = now
        self.due = nil
        return true
    }

    /// Milliseconds to wait at most until the next news; negative for no limit.
    var milliseconds: Int32 {
        guard let due else { return -1 }
        let now = switchyard_now()
        return due <= now ? 0 : Int32((due - now) / 1_000_000 + 1)
    }
}
