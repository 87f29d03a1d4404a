// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Statistics of several measurements of one thing.
package enum Statistics {
    /// The value in the middle, or the mean of the two in the middle; nil of none.
    package static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        if sorted.count.isMultiple(of: 2) { return (sorted[middle - 1] + sorted[middle]) / 2 }
        return sorted[middle]
    }

    /// The smallest value that `fraction` of all do not exceed; nil of none.
    package static func percentile(_ fraction: Double, _ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let rank = Int((fraction * Double(values.count)).rounded(.up))
        return values.sorted()[min(max(rank, 1), values.count) - 1]
    }
}
