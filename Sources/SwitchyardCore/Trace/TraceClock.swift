// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The clock of trace events: the processor's counter where its rate is constant, because reading
/// it takes a third of a system call's time; otherwise nanoseconds since the system's start.
package enum TraceClock {
    /// The two clocks at one moment. Two of these make times of ticks.
    package struct Reading: Equatable, Sendable {
        package let ticks: UInt64
        /// Nanoseconds since the system's start.
        package let nanoseconds: UInt64

        package init(ticks: UInt64, nanoseconds: UInt64) {
            self.ticks = ticks
            self.nanoseconds = nanoseconds
        }
    }

    /// The ticks of one unit of ``TraceEvent/detail``, where it is a time: 32 bits of ticks would
    /// be a second.
    package static let ticksOfDetail: UInt64 = 16

    @inline(__always)
    static var now: UInt64 { switchyard_ticks() }

    /// Both clocks, now.
    package static var reading: Reading {
        Reading(ticks: now, nanoseconds: switchyard_boot_time())
    }

    /// A time as it stands in ``TraceEvent/detail``; the longest there is for a longer one.
    ///
    /// Counters of two processors may differ by a little: a time is never less than none.
    @inline(__always)
    static func detail(since begin: UInt64, until end: UInt64) -> UInt32 {
        let units = (end &- begin) / ticksOfDetail
        // One question for both: less than none is a very long time without a sign.
        if _slowPath(units > UInt32.max) { return end > begin ? .max : 0 }
        return UInt32(truncatingIfNeeded: units)
    }
}
