// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// A time during which other processes can't find this member.
struct Absence {
    /// The time when the absence was noticed, in the clock of ``switchyard_now()``.
    let since: UInt64
    /// The time of the next attempt to return.
    var due: UInt64
    private var pause: UInt64 = 10_000_000
    /// Whether the absence was reported, with the reason why the member can't return.
    var isReported = false

    /// Nanoseconds to wait before the first attempt, so that a program that is removing a whole
    /// folder tree is not disturbed.
    private static let restraint: UInt64 = 250_000_000
    /// Nanoseconds up to which an absence is not worth a report: a folder that is removed and made
    /// again is away for about that long.
    private static let shortAbsence: UInt64 = 1_000_000_000

    /// The longest pause between two attempts, in nanoseconds.
    private static let longestPause: UInt64 = 5_000_000_000

    init() {
        since = switchyard_now()
        due = since + Self.restraint
    }

    /// Whether the member could not return for a while, and that has not been reported.
    var isWorthReporting: Bool { !isReported && switchyard_now() - since > Self.shortAbsence }

    /// Schedules the next attempt, each time after a longer pause.
    mutating func postpone() {
        due = switchyard_now() + pause
        pause = min(pause * 2, Self.longestPause)
    }
}
