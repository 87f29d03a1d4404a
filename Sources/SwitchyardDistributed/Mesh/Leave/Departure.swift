// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The time that a leaving member waits for its peers to take what is queued for them: for each
/// peer as long as that peer goes on taking something, and no longer than ``longest`` in all.
///
/// Once leaving has begun, posts are refused, so the queues only get shorter.
struct Departure {
    /// The limit for a whole departure, whatever the peers take. The 64 MiB that may wait for a
    /// peer leave in that time at 220 KiB a second.
    static let longest = Duration.seconds(300)

    /// The time after which a peer that takes nothing is given up. A live process pauses for less
    /// on a loaded machine, and needs less for what it has read at once (256 KiB). Service managers
    /// wait about as long for a process that they have told to end.
    static let patience = Duration.seconds(10)

    /// The time between two looks at what the peers have taken.
    static let round = Duration.milliseconds(100)

    private let patience: Duration
    private let end: ContinuousClock.Instant
    /// The progress of each peer, by address: how much it has taken, and the time when that number
    /// last changed.
    private var progress: [String: (taken: UInt64, since: ContinuousClock.Instant)] = [:]

    init(patience: Duration, at now: ContinuousClock.Instant) {
        self.patience = patience
        end = now + Self.longest
    }

    /// Whether something waits for a peer that still takes what it gets, and time is left.
    ///
    /// - Parameter waitedFor: a number for each peer for which something waits, by address. The
    ///   number changes whenever the peer takes something.
    mutating func mustWait(
        for waitedFor: [String: UInt64], at now: ContinuousClock.Instant
    ) -> Bool {
        if now >= end { return false }
        var mustWait = false
        for (address, taken) in waitedFor {
            if let last = progress[address], last.taken == taken {
                if now - last.since < patience { mustWait = true }
            } else {
                progress[address] = (taken, now)
                mustWait = true
            }
        }
        return mustWait
    }
}
