// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

/// The figures above the picture.
struct LiveFacts: Encodable, Equatable {
    /// One figure.
    struct Fact: Encodable, Equatable {
        var name: String
        var value: String
        var unit: String
        /// An explanation of the value, if it needs one.
        var hint = ""
        /// Whether it is one to look at.
        var isHot = false
        /// Earlier values, the oldest first, in hundredths of the greatest.
        var line: [Int] = []
    }

    var facts: [Fact]

    init(_ window: LiveWindow, _ graph: FlowGraph, _ history: LiveHistory) {
        let waiting = graph.contexts.values.filter { $0.waiting > 0 }
        let lost = graph.handlers.reduce(UInt64(0)) { $0 &+ $1.row.lost }
        let kinds = graph.handlers.count
        facts = [
            Fact(
                name: "Posts", value: LiveText.number(history.posts.last ?? 0), unit: "a second",
                line: LiveHistory.line(history.posts)),
            Fact(
                name: "Deliveries", value: LiveText.number(history.deliveries.last ?? 0),
                unit: "a second", line: LiveHistory.line(history.deliveries)),
            Fact(
                name: "Waiting now",
                value: LiveText.number(waiting.reduce(0) { $0 + Double($1.waiting) }),
                unit: waiting.count == 1 ? "in 1 mailbox" : "in \(waiting.count) mailboxes"),
            Fact(
                name: "Late", value: LiveText.number(history.late.last ?? 0),
                unit: "a second", hint: "16 ms or more from the post to the handler's end",
                isHot: (history.late.last ?? 0) >= 0.5,
                line: LiveHistory.line(history.late)),
            Fact(
                name: "Lost", value: LiveText.number(Double(lost)),
                unit: "in \(Int(window.seconds.rounded())) s", isHot: lost > 0),
            Fact(
                name: "Registrations",
                value: LiveText.number(
                    Double(window.after.centers.reduce(0) { $0 + $1.registrations.count })),
                unit: kinds == 1 ? "from 1 place" : "from \(LiveText.number(Double(kinds))) places"),
        ]
    }
}

/// Figures of the last half minute.
struct LiveHistory {
    private(set) var posts: [Double] = []
    private(set) var deliveries: [Double] = []
    private(set) var late: [Double] = []
    private static let longest = 40

    mutating func add(_ window: LiveWindow, _ graph: FlowGraph) {
        Self.add(graph.topics.values.reduce(0) { $0 + $1.rate }, to: &posts)
        Self.add(graph.handlers.reduce(0) { $0 + $1.row.rate }, to: &deliveries)
        Self.add(graph.events.late(in: window.tracedSeconds), to: &late)
    }

    private static func add(_ value: Double, to values: inout [Double]) {
        values.append(value)
        if values.count > longest { values.removeFirst() }
    }

    /// Values in hundredths of the greatest.
    static func line(_ values: [Double]) -> [Int] {
        let greatest = max(values.max() ?? 0, 1e-9)
        return values.map { Int((100 * $0 / greatest).rounded()) }
    }
}
