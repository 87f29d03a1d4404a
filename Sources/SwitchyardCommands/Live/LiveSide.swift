// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The panel beside the picture: an answer in sentences about the chosen element, and the figures
/// it rests on.
struct LiveSide: Encodable, Equatable {
    /// A figure with its name, or a share of something.
    struct Line: Encodable, Equatable {
        var name: String
        var value: String
        /// The length of its bar in hundredths; nil without one.
        var bar: Int?
        /// The node that it is about; nil for none.
        var about: String?
        var level: Int?
    }

    struct Section: Encodable, Equatable {
        var title: String
        /// `list`, `bars`, `path` (parts of one time) or `steps` (how often a time was so long).
        var kind: String
        var lines: [Line]
        /// A line below it.
        var note: String = ""
    }

    /// The key of the choice; empty for none.
    var chosen = ""
    var crumb: String
    var title: String
    /// The degree of the answer: `fine`, `note` or `late`.
    var tone: String
    var verdict: String
    var text: String
    var sections: [Section] = []
    var hint = ""

    static let payloads = "Nothing that a notification carries is shown: it stays in the process."
}

extension LiveSide {
    /// The panel for the chosen element.
    init(
        _ window: LiveWindow, _ graph: FlowGraph, _ selection: LiveSelection,
        findings: [LiveFinding]
    ) {
        switch selection {
        case .node(let key):
            if let handler = graph.handler(key) {
                self = .about(handler, window, graph)
            } else if let topic = graph.topics[key] {
                self = .about(topic, window, graph)
            } else if let poster = graph.posters[key] {
                self = .about(poster, graph)
            } else if key.hasSuffix(":rest") {
                self.init(
                    crumb: "", title: "The rest", tone: "note", verdict: "These are several.",
                    text: "A side of the picture shows the busiest \(LiveNodes.mostOfASide - 1); "
                        + "`switchyard inspect` lists all.")
            } else {
                self.init(
                    crumb: "", title: "It has gone", tone: "note",
                    verdict: "It is no longer there.",
                    text: "The observation has ended, or nothing was posted there for some seconds."
                )
            }
            chosen = key
        case .post(let number):
            self = .about(post: number, window, graph)
            chosen = "post:\(number)"
        case .nothing:
            self = .overview(window, graph, findings)
        }
    }

    private static func overview(
        _ window: LiveWindow, _ graph: FlowGraph, _ findings: [LiveFinding]
    ) -> LiveSide {
        let late = findings.filter { $0.tone == "late" }
        var side = LiveSide(
            crumb: "process \(window.process)", title: LiveText.short(window.name), tone: "fine",
            verdict: "Nothing is late.",
            text: "No handler on main takes a frame or more, and no thread is full.")
        if !late.isEmpty {
            side.tone = "late"
            side.verdict =
                late.count == 1 ? "One thing needs a look." : "\(late.count) things need a look."
            side.text = "The worst: \(late[0].text)."
        } else if !findings.isEmpty {
            side.tone = "note"
            side.verdict = "Nothing is late, but there are findings."
            side.text = "The first: \(findings[0].text)."
        }
        let busy = graph.contexts.values.filter { $0.isThread && $0.busy > 0 }
            .sorted { ($1.busy, $0.name) < ($0.busy, $1.name) }
        if !busy.isEmpty {
            side.sections.append(
                Section(
                    title: "How busy threads are with handlers", kind: "bars",
                    lines: busy.prefix(6).map { context in
                        Line(
                            name: LiveText.short(context.name),
                            value: HandlerTable.percent(context.busy),
                            bar: LiveText.bar(context.busy))
                    }))
        }
        side.sections.append(LiveSide.cost(window))
        side.hint =
            "Choose a line, a name or a handler in the picture, or a bar in the lanes, and this side says why "
            + "it is as it is. \(payloads)"
        return side
    }

    private static func cost(_ window: LiveWindow) -> Section {
        let cost = window.cost
        return Section(
            title: "The cost of looking", kind: "list",
            lines: [
                Line(
                    name: "posts that are traced",
                    value: cost.interval <= 1 ? "all" : "one in \(cost.interval)"),
                Line(
                    name: "events", value: "\(LiveText.number(cost.eventsPerSecond)) a second"),
                Line(
                    name: "at most", value: "\(LiveText.number(Double(cost.budget))) a second"),
                Line(name: "lost", value: LiveText.number(Double(cost.overwritten))),
                Line(
                    name: "samples of threads",
                    value: "\(LiveText.number(cost.looksPerSecond)) a second"),
            ],
            note: "A traced post takes some tens of nanoseconds longer. Pause, and no posts "
                + "are traced.")
    }
}
