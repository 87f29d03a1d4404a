// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardDistributed

/// The times that a process took to answer.
struct PingTimes: Sendable {
    /// The number of intended questions.
    let asked: Int
    private var microseconds: [Double] = []

    init(asked: Int) { self.asked = asked }

    mutating func add(_ time: Duration) { microseconds.append(time / .microseconds(1)) }

    /// Whether the process answered each question.
    var isComplete: Bool { microseconds.count == asked }

    /// Whether the process never answered.
    var isEmpty: Bool { microseconds.isEmpty }

    /// The number of answers in words; empty if there were none.
    var words: String {
        microseconds.isEmpty ? "" : ", after \(microseconds.count) answers"
    }

    /// Returns the line about a process that answered.
    func line(about peer: DistributedPeer, asJSON: Bool) throws -> String {
        let sorted = microseconds.sorted()
        guard let least = sorted.first, let most = sorted.last else { return "" }
        let median = sorted[sorted.count / 2]
        if asJSON {
            return try JSONLine.text(
                of: Summary(
                    process: peer.name, pid: peer.processIdentifier, count: sorted.count,
                    median: median, least: least, most: most))
        }
        let line = "\(peer.title): \(Self.words(median))"
        if asked == 1 { return line }
        let range = "\(Self.words(least)) to \(Self.words(most))"
        let times = isComplete ? "\(asked)" : "\(sorted.count) of \(asked)"
        return "\(line) (\(range), \(times) times)"
    }

    /// The times in microseconds, for JSON.
    private struct Summary: Encodable {
        let process: String
        let pid: Int32
        let count: Int
        let median: Double
        let least: Double
        let most: Double
    }

    private static func words(_ microseconds: Double) -> String {
        microseconds < 1000
            ? "\(microseconds.rounded()) µs".replacing(".0 ", with: " ")
            : "\((microseconds / 100).rounded() / 10) ms"
    }
}
