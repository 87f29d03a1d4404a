// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The decision whether the posting thread or the writer writes a notification.
///
/// A write by the posting thread saves the writer's wake-up, and with it most of the latency. In a
/// burst, it costs a system call and a wake-up of the other process, for each notification and
/// peer; the writer takes many notifications at once. So posting threads have a budget of 32
/// writes, refilled by one write every 8 µs: enough to answer every question at once, too few for a
/// burst. Once the budget is spent, the writer writes for as long as the burst goes on.
package struct WritePace {
    package init() {}

    /// Nanoseconds that refill the budget by one write: about the time in which a process that is
    /// asked all the time answers.
    private static let forOneWrite: UInt64 = 8_000
    private static let mostWrites: UInt64 = 32
    /// The most peers that a posting thread writes to. The writer writes to more, so that the post
    /// returns soon.
    private static let mostPeers = 4
    /// Nanoseconds without a post after which a burst is over.
    private static let quiet: UInt64 = 100_000

    /// Nanoseconds without a post after which a burst is over although the posting thread did not
    /// sleep: it may have had no processor.
    private static let long: UInt64 = 10_000_000

    /// The time up to which writes have used the budget.
    private var paid: UInt64 = 0
    private var isBurst = false
    /// The value of ``switchyard_rests()`` when the burst was last seen to go on.
    private var rests: UInt64 = 0
    /// The time of the last post or write.
    private var lastSeen: UInt64 = 0

    /// Returns whether the posting thread may write to `count` peers, for which nothing waits, and
    /// charges the budget.
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

    /// Returns whether a burst goes on: there was no pause, or the posting thread only had no
    /// processor because the peers used it.
    private mutating func goesOn(_ now: UInt64) -> Bool {
        if now &- lastSeen < Self.quiet { return true }
        let before = rests
        rests = switchyard_rests()
        return rests == before && now &- lastSeen < Self.long
    }

    /// Notes a write: a post that follows right after it belongs to the same burst.
    package mutating func wrote() { lastSeen = switchyard_now() }
}
