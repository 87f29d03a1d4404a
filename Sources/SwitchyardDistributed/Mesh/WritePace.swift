// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// Whether a post is written by the posting thread, or by the writer.
///
/// A write by the posting thread saves the writer's wake-up, and with it most of the latency. In a
/// burst, it costs a system call, and the other process's wake-up, for each notification and peer,
/// where the writer takes many at once. So posting threads have so many writes, and get one more for
/// so much time: enough to answer every question at once, too few for a burst. Once they have none,
/// the writer writes for as long as the burst goes on.
package struct WritePace {
    package init() {}

    /// Nanoseconds in which a process that is asked all the time answers, about.
    private static let forOneWrite: UInt64 = 8_000
    private static let mostWrites: UInt64 = 32
    /// To more, the writer writes anyway, so that the posting thread is soon through.
    private static let mostPeers = 4
    /// Nanoseconds without a post after which a burst is over.
    private static let quiet: UInt64 = 100_000

    /// The same for a thread that does not rest in between.
    private static let long: UInt64 = 10_000_000

    /// The time up to which writes are paid for.
    private var paid: UInt64 = 0
    private var isBurst = false
    /// What ``switchyard_rests()`` said when the burst was last seen to go on.
    private var rests: UInt64 = 0
    /// When something was last posted or written.
    private var lastSeen: UInt64 = 0

    /// Whether the posting thread may write to so many peers, for whom nothing waits.
    package mutating func mayWrite(_ count: Int) -> Bool {
        if count > Self.mostPeers { return false }
        let now = switchyard_now()
        let start = max(paid, now &- Self.mostWrites * Self.forOneWrite)
        isBurst = start > now || isBurst && goesOn(now)
        lastSeen = now
        if isBurst { return false }
        paid = start + UInt64(count) * Self.forOneWrite
        return true
    }

    /// Whether a burst is not over: there was no pause, or the posting thread only had no processor,
    /// because those to whom it posts have it.
    private mutating func goesOn(_ now: UInt64) -> Bool {
        if now &- lastSeen < Self.quiet { return true }
        let before = rests
        rests = switchyard_rests()
        return rests == before && now &- lastSeen < Self.long
    }

    /// Something was written: what comes right after that belongs to the same burst.
    package mutating func wrote() { lastSeen = switchyard_now() }
}
