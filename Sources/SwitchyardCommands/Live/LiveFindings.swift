// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardInspection
internal import SwitchyardWire

/// A probable mistake in the watched process, in words.
struct LiveFinding: Encodable, Equatable {
    /// The kind, in a word.
    var tag: String
    /// The degree of the finding: `late`, `note` or `info`.
    var tone: String
    var text: String
    /// The node that it is about; empty if it is none that is shown.
    var about: String

    static let most = 30
    /// The most bytes of all texts: less than an update has room for.
    private static let mostBytes = 12 * 1024

    /// The findings of a process, the worst first.
    static func all(_ window: LiveWindow, _ graph: FlowGraph, _ nodes: LiveNodes) -> [LiveFinding] {
        var found: [LiveFinding] = []
        let rows = graph.handlers.filter { graph.contexts[$0.context]?.isFull == true }.map(\.row)
        for text in BusyFindings.full(rows) { found.append(.init("Full", "late", text)) }
        for handler in graph.handlers {
            if let text = BusyFindings.slow(handler.row, handler.times) {
                found.append(.init("Late", "late", text))
            }
        }
        for text in BusyFindings.holdingUp(graph.handlers.map { ($0.row, $0.times) }) {
            found.append(.init("Late", "late", text))
        }
        for text in window.growth { found.append(.init("Grows", "note", text)) }
        for center in window.after.centers {
            for (kind, findings) in Dictionary(grouping: center.findings, by: \.kind)
                .sorted(by: { $0.key < $1.key })
            {
                for text in HandlerTable.counted(findings.map(\.text)) {
                    // The finding counts losses since the program's start. Losses that go on are
                    // worse than an old number.
                    let losesNow =
                        kind == "loss"
                        && graph.handlers.contains {
                            $0.row.lost > 0 && text.contains($0.row.handler)
                        }
                    found.append(.init(word(for: kind), losesNow ? "late" : "note", text))
                }
            }
        }
        let unheard = graph.topics.values.filter { $0.unheard > 0 }
        let counts = unheard.map { ($0.text, max(1, Int($0.unheard * window.tracedSeconds))) }
        for text in Explanation.findings(
            ofUnheard: Dictionary(counts) { $0 + $1 }, in: window.after)
        {
            found.append(.init("Unheard", "note", text))
        }
        var bytes = 0
        return Array(
            found.prefix(most).map { $0.located(graph, nodes) }.prefix { finding in
                bytes += finding.text.utf8.count
                return bytes <= mostBytes
            })
    }

    private init(_ tag: String, _ tone: String, _ text: String) {
        (self.tag, self.tone, self.text, about) = (tag, tone, text, "")
    }

    /// The kinds of the inspection protocol in a word each.
    private static func word(for kind: String) -> String {
        switch kind {
        case "ownerDied": "Leak"
        case "objectDied": "Dead"
        case "twins", "possibleTwins": "Twice"
        case "contextEnded": "Ended"
        // A thread that is full has no time left; this is a mailbox.
        case "contextFull": "Mailbox"
        case "loss": "Lost"
        default: "Note"
        }
    }

    /// The finding with the node that its text names, and as short as people read.
    private func located(_ graph: FlowGraph, _ nodes: LiveNodes) -> LiveFinding {
        var finding = self
        let shown = Set(nodes.handlers.map(\.key))
        let handler = graph.handlers.first {
            shown.contains($0.id) && text.contains($0.row.handler)
        }
        let topics = nodes.topics.compactMap { graph.topics[$0.key] }
        let topic = topics.first { text.contains($0.text) }
        // A name that nobody hears has no handler.
        finding.about = (tag == "Unheard" ? topic?.id : handler?.id ?? topic?.id) ?? ""
        let scalars = text.shown.unicodeScalars
        finding.text = String(scalars.prefix(400)) + (scalars.count > 400 ? "…" : "")
        return finding
    }
}
