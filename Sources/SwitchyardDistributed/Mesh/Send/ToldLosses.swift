// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The losses of which a peer was told on one connection. Should the connection break before the peer has read
/// that, it misses them as it misses what was under way, and they must not be counted twice.
struct ToldLosses {
    /// A loss, and the number of the first notification behind it.
    private struct Loss {
        var count: UInt64
        let next: UInt64
    }

    /// The last of them, the oldest first.
    private var losses: [Loss] = []

    private static let most = 64

    /// Takes note of a loss.
    ///
    /// - Parameter next: the number of the first notification behind it.
    mutating func add(_ count: UInt64, before next: UInt64) {
        if losses.count == Self.most { losses.removeFirst() }
        losses.append(Loss(count: count, next: next))
    }

    /// The number of lost notifications behind the last that the peer has heard of.
    func count(behind heard: UInt64) -> UInt64 {
        losses.reduce(0) { $0 + ($1.next > heard + 1 ? $1.count : 0) }
    }
}
