// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A ratio of two things that were measured in the same rounds, with its uncertainty.
package struct Ratio: Equatable, Sendable {
    /// The median of the rounds.
    package let median: Double
    /// The range that has the median in it, with a probability of about 95 % (93 % with five
    /// rounds): the rounds between two ranks, whatever their distribution.
    package let range: ClosedRange<Double>

    /// - Parameters:
    ///   - rounds: the figure of each round.
    ///   - others: the divisors of the same rounds; none: no division.
    package init(of rounds: [Double], to others: [Double] = []) {
        let ratios =
            (others.isEmpty ? rounds : zip(rounds, others).map { $1 > 0 ? $0 / $1 : .nan })
            .filter(\.isFinite).sorted()
        median = Statistics.median(ratios) ?? .nan
        guard let last = ratios.indices.last else {
            range = -Double.infinity...Double.infinity
            return
        }
        let count = Double(ratios.count)
        let rank = max(0, Int((count - 1.96 * count.squareRoot()) / 2))
        range = ratios[rank]...ratios[last - rank]
    }

    /// Whether the ratio keeps within a bound.
    package func verdict(_ bound: Double, _ better: Better) -> Verdict {
        switch better {
        case .less:
            range.upperBound <= bound ? .reached : range.lowerBound > bound ? .missed : .undecided
        case .more:
            range.lowerBound >= bound ? .reached : range.upperBound < bound ? .missed : .undecided
        }
    }

    /// The width of the range, as a part of the median.
    var spread: Double { (range.upperBound - range.lowerBound) / median }
}
