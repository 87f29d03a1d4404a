// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The length of a bar: in proportion, or by its logarithm where the figures lie far apart.
struct Scale {
    private let low: Double
    private let high: Double
    let isLogarithmic: Bool

    /// A scale on which all of `values`, positive numbers, have a bar.
    init(_ values: [Double]) {
        let most = values.max() ?? 1
        let least = values.min() ?? 1
        isLogarithmic = most > 20 * least
        if isLogarithmic {
            // A decade below the smallest when that would have next to no bar.
            low = pow(10, (log10(least) - 0.1).rounded(.down))
            high = pow(10, log10(most).rounded(.up))
        } else {
            low = 0
            high = most
        }
    }

    /// From 0 to 1.
    func position(_ value: Double) -> Double {
        let part =
            isLogarithmic
            ? (log10(value) - log10(low)) / (log10(high) - log10(low))
            : (value - low) / (high - low)
        return min(max(part, 0), 1)
    }

    /// The places of lines: the powers of ten, or round numbers.
    var marks: [Double] {
        guard isLogarithmic else { return Array(stride(from: 0, through: high, by: step)) }
        let decades = Int(log10(low).rounded())...Int(log10(high).rounded())
        return decades.map { pow(10, Double($0)) }
    }

    /// 1, 2 or 5 with zeros, so that there are four marks or a few more.
    private var step: Double {
        let unit = pow(10, log10(high / 4).rounded(.down))
        return [5, 2].first { $0 * unit * 4 <= high }.map { $0 * unit } ?? unit
    }
}
