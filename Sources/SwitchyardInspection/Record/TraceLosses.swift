// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The times from which events of some thread were overwritten before they could be read, in ticks.
struct TraceLosses {
    /// In their order, and apart from each other.
    private(set) var spans: [Range<UInt64>] = []

    /// The most spans: a process may send any.
    private static let most = 1000

    /// Takes note that events between two times were overwritten.
    mutating func add(from first: UInt64, to last: UInt64) {
        guard first < last else { return }
        let apart = spans.partition { $0.upperBound >= first && $0.lowerBound <= last }
        let joined = spans[apart...].reduce(first..<last) {
            min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
        }
        spans.removeSubrange(apart...)
        spans.append(joined)
        spans.sort { $0.lowerBound < $1.lowerBound }
        if spans.count > Self.most { join(2) }
    }

    /// Keeps no more of the spans before a time than that there were some.
    mutating func forget(before isOld: (_ ticks: UInt64) -> Bool) {
        join(spans.prefix { isOld($0.upperBound) }.count)
    }

    /// Makes one span of the first ones.
    private mutating func join(_ count: Int) {
        guard count > 1 else { return }
        spans.replaceSubrange(
            0..<count, with: [spans[0].lowerBound..<spans[count - 1].upperBound])
    }
}
