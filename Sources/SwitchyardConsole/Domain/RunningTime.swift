// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The time that passes while this process waits for others and looks again and again.
///
/// Between two looks, a quarter of a second counts at most. If more has passed, this process did
/// not run, because it was stopped or the machine slept: that says nothing about the others.
struct RunningTime {
    private static let most = Duration.milliseconds(250)

    private var lastLook = ContinuousClock.now

    /// Returns the time since the last look that counts, and the time that does not.
    mutating func look() -> (counted: Duration, skipped: Duration) {
        let now = ContinuousClock.now
        defer { lastLook = now }
        let counted = min(now - lastLook, Self.most)
        return (counted, now - lastLook - counted)
    }
}
