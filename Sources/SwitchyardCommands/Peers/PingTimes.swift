// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed
internal import SwitchyardWire

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

    func print(_ peer: DistributedPeer, asJSON: Bool, to text: inout ByteWriter) {
        let sorted = microseconds.sorted()
        guard let least = sorted.first, let most = sorted.last else { return }
        let median = sorted[sorted.count / 2]
        if asJSON {
            text.append(firstMembersOf: peer)
            text.append(key: "count")
            text.append(decimal: sorted.count)
            text.append(key: "median")
            text.append(json: median)
            text.append(key: "least")
            text.append(json: least)
            text.append(key: "most")
            text.append(json: most)
            text.append("}\n")
        } else {
            text.append(string: peer.title)
            text.append(string: ": \(Self.words(median))")
            if asked > 1 {
                let range = "\(Self.words(least)) to \(Self.words(most))"
                let times = isComplete ? "\(asked)" : "\(sorted.count) of \(asked)"
                text.append(string: " (\(range), \(times) times)")
            }
            text.append("\n")
        }
    }

    private static func words(_ microseconds: Double) -> String {
        microseconds < 1000
            ? "\(microseconds.rounded()) µs".replacing(".0 ", with: " ")
            : "\((microseconds / 100).rounded() / 10) ms"
    }
}
