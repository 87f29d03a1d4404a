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
        for finding in BusyFindings.full(rows) {
            found.append(
                .init("Full", "late", finding.text, FlowGraph.Handler.id(of: finding.cause)))
        }
        for handler in graph.handlers {
            if let text = BusyFindings.slow(handler.row, handler.times) {
                found.append(.init("Late", "late", text, handler.id))
            }
        }
        for finding in BusyFindings.holdingUp(graph.handlers.map { ($0.row, $0.times) }) {
            found.append(
                .init("Late", "late", finding.text, FlowGraph.Handler.id(of: finding.cause)))
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
                            $0.row.lost > 0 && text.names($0.row.handler)
                        }
                    found.append(.init(word(for: kind), losesNow ? "late" : "note", text))
                }
            }
        }
        let unheard = graph.topics.values.filter { $0.unheard > 0 }
        let counts = unheard.map { ($0.text, max(1, Int($0.unheard * window.tracedSeconds))) }
        for (topic, text) in Explanation.unheard(
            Dictionary(counts) { $0 + $1 }, in: window.after)
        {
            found.append(.init("Unheard", "note", text, FlowGraph.Topic.id(of: topic)))
        }
        var bytes = 0
        return Array(
            found.prefix(most).map { $0.located(graph, nodes) }.prefix { finding in
                bytes += finding.text.utf8.count
                return bytes <= mostBytes
            })
    }

    private init(_ tag: String, _ tone: String, _ text: String, _ about: String = "") {
        (self.tag, self.tone, self.text, self.about) = (tag, tone, text, about)
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

    /// The finding with a node that is shown, and as short as people read.
    private func located(_ graph: FlowGraph, _ nodes: LiveNodes) -> LiveFinding {
        var finding = self
        let handlers = Set(nodes.handlers.map(\.key))
        let topics = Set(nodes.topics.map(\.key))
        if about.isEmpty {
            finding.about = nodeNamed(graph, handlers, nodes.topics.map(\.key)) ?? ""
        } else if !handlers.contains(about), !topics.contains(about) {
            finding.about = ""
        }
        let scalars = text.shown.unicodeScalars
        finding.text = String(scalars.prefix(400)) + (scalars.count > 400 ? "…" : "")
        return finding
    }

    /// The node that the text names, of those that are shown: a handler, or else a topic. Some
    /// findings are told by the process, as a sentence alone.
    private func nodeNamed(
        _ graph: FlowGraph, _ handlers: Set<String>, _ topics: [String]
    ) -> String? {
        let named = graph.handlers.filter {
            handlers.contains($0.id) && text.names($0.row.handler)
        }
        // One line may observe several topics.
        let handler = named.first { text.names($0.topic) } ?? named.first
        return handler?.id
            ?? topics.first { graph.topics[$0].map { text.names($0.text) } == true }
    }
}

extension String {
    /// Whether a name stands in this text, and not as a part of another one.
    fileprivate func names(_ name: String) -> Bool {
        if name.isEmpty { return false }
        var rest = self[...]
        while let range = rest.firstRange(of: name) {
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
            if !before.isPartOfName, !self[range.upperBound...].goesOnAsName { return true }
            rest = rest[index(after: range.lowerBound)...]
        }
        return false
    }
}

extension Substring {
    /// Whether a name that ends before this text goes on in it. A dot or a colon may end a
    /// sentence, or stand before the next part.
    fileprivate var goesOnAsName: Bool {
        guard let first else { return false }
        if first == "." || first == ":" { return dropFirst().first?.isPartOfName == true }
        return first.isPartOfName
    }
}

extension Character {
    fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "_" }
}
