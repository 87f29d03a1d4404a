// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// Numbers as a reader wants them.
package enum Figure {
    /// Three digits that count, at most; thousands grouped.
    package static func text(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        let size = value.magnitude
        if size >= 1000 { return grouped(value) }
        if size >= 100 { return String(format: "%.0f", value) }
        let digits = size >= 10 ? 1 : 2
        return trimmed(String(format: "%.\(digits)f", value))
    }

    /// A ratio: more digits where it is small.
    package static func ratio(_ value: Double) -> String {
        if value > 0, value < 0.1 { return trimmed(String(format: "%.3f", value)) }
        return text(value)
    }

    private static func grouped(_ value: Double) -> String {
        var digits = String(Int(value.rounded()).magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        groups.insert(digits, at: 0)
        return (value < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// The text without zeros at the end that say nothing.
    private static func trimmed(_ text: String) -> String {
        guard text.contains(".") else { return text }
        var text = text
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
