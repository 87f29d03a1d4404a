// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Synchronization

/// The times of posts whose values are kept, by which processes agree which of two values is later.
///
/// A time is at least the wall clock's, and larger than every time that this process has given or
/// seen: a hybrid logical clock ([Kulkarni and others,
/// 2014](https://cse.buffalo.edu/tech-reports/2014-04.pdf)). So a post comes after those that its
/// process knows of, also if the wall clocks of two machines differ.
struct LatestClock: ~Copyable, Sendable {
    /// The farthest that another process's clock may be ahead, in nanoseconds: an hour. A time
    /// beyond that is a mistake, and would keep this process's values from ever being the latest.
    static let mostAhead: UInt64 = 3_600_000_000_000

    private let last = Atomic<UInt64>(0)

    /// A time for a post of this process, in nanoseconds since 1970.
    ///
    /// - Parameter known: the time of the latest known value. The new time is later than that,
    ///   unless `known` is too far ahead to be right (``isMistaken(_:)``).
    func next(after known: UInt64 = 0) -> UInt64 {
        let now = Self.now
        var seen = last.load(ordering: .relaxed)
        while true {
            // A wall clock that was far ahead may have been set right: the others refuse such
            // times.
            let earlier = [seen, known].filter { $0 <= now + Self.mostAhead }.max() ?? 0
            let time = max(now, earlier + 1)
            let (isDone, before) = last.compareExchange(
                expected: seen, desired: time, ordering: .relaxed)
            if isDone { return time }
            seen = before
        }
    }

    /// Whether a time is too far ahead to be right.
    static func isMistaken(_ time: UInt64) -> Bool { time > now + mostAhead }

    /// Takes note of a time that another process has given.
    ///
    /// - Returns: Whether the time was noted: false if it is too far ahead to be right.
    func accept(_ time: UInt64) -> Bool {
        if Self.isMistaken(time) { return false }
        last.max(time, ordering: .relaxed)
        return true
    }

    static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970) * 1_000_000_000) }
}
