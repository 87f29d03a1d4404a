// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// A printer of the tour's outcomes for people.
struct TourPrinter {
    /// Whether to use bold text and colours.
    private let hasStyle: Bool

    init() {
        let isRefused = ProcessInfo.processInfo.environment["NO_COLOR"] != nil
        hasStyle = isatty(STDOUT_FILENO) == 1 && !isRefused
    }

    func print(_ outcome: TourOutcome, number: Int) {
        Swift.print(styled("\(number). \(outcome.name)", "1"))
        for line in Self.wrapped(outcome.promise, width: 76) { Swift.print("   \(line)") }
        let width = outcome.events.map(\.thread.count).max() ?? 0
        for event in outcome.events {
            let order = String(repeating: " ", count: event.order < 10 ? 1 : 0) + "\(event.order)"
            let gap = String(repeating: " ", count: width - event.thread.count)
            Swift.print("     \(order)  \(styled(event.thread, "36"))\(gap)  \(event.what)")
        }
        if let complaint = outcome.complaint {
            Swift.print("   \(styled("✗ did not hold: \(complaint)", "31"))\n")
        } else {
            Swift.print("   \(styled("✓ held", "32"))\n")
        }
        fflush(nil)
    }

    func printEnd(_ outcomes: [TourOutcome], seconds: Double) {
        let held = outcomes.count { $0.held }
        let time = String(format: "%.1f", seconds)
        Swift.print("\(held) of \(outcomes.count) promises held, in \(time) s.")
    }

    private func styled(_ text: String, _ code: String) -> String {
        hasStyle ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines.count - 1
            if lines[last].isEmpty {
                lines[last] = String(word)
            } else if lines[last].count + word.count < width {
                lines[last] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
