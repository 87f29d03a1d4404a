// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardInspection
internal import SwitchyardWire

extension LiveSide {
    /// The answer for a name or message: its posters and its handlers.
    static func about(
        _ topic: FlowGraph.Topic, _ window: LiveWindow, _ graph: FlowGraph
    ) -> LiveSide {
        let name = LiveText.topic(topic.text)
        let edges = graph.rates.filter { $0.key.from == topic.id }
        let heard = edges.compactMap { edge, rate in
            graph.handler(edge.to).map { (handler: $0, rate: rate) }
        }.sorted { ($1.rate, $0.handler.id) < ($0.rate, $1.handler.id) }
        var side = LiveSide(
            crumb: "Name or message", title: name, tone: "fine", verdict: "It is heard.",
            text: "It is posted \(LiveText.often(topic.rate)), and \(heard.count) "
                + (heard.count == 1 ? "place hears it." : "places hear it."))
        if topic.rate == 0 {
            side.tone = "note"
            side.verdict = "Nobody posts it now."
            side.text =
                "\(heard.count) \(heard.count == 1 ? "place observes" : "places observe") it, and it was "
                + "not posted in the last seconds."
        } else if topic.unheard > 0 {
            side.tone = "note"
            side.verdict = topic.isUnheard ? "Nobody hears it." : "Some of its posts reach nobody."
            side.text =
                Explanation.findings(
                    ofUnheard: [topic.text: max(1, Int(topic.unheard * window.tracedSeconds))],
                    in: window.after
                ).first.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }.map(long) ?? ""
            if topic.isUnheard { side.hint = "Is the name spelled as where it is observed?" }
        } else if let slowest = heard.max(by: { $0.handler.slowest < $1.handler.slowest }),
            slowest.handler.slowest >= 0.016
        {
            side.tone = "late"
            side.verdict = "One of its handlers is late."
            side.text +=
                " The slowest is \(LiveText.place(slowest.handler.row.handler)): "
                + "\(LiveText.time(slowest.handler.slowest)) from the post to its end."
        }
        let most = max(heard.first?.rate ?? 0, 1e-9)
        if !heard.isEmpty {
            side.sections.append(
                Section(
                    title: "Heard by", kind: "bars",
                    lines: heard.prefix(8).map { handler, rate in
                        Line(
                            name: LiveText.place(handler.row.handler), value: LiveText.rate(rate),
                            bar: LiveText.bar(rate, of: most), about: handler.id)
                    }))
        }
        side.sections += [posters(of: [topic.id], graph)].filter { !$0.lines.isEmpty }
        return side
    }

    /// A sentence with texts of the process in it.
    private static func long(_ text: String) -> String {
        let scalars = text.shown.unicodeScalars
        return String(scalars.prefix(600)) + (scalars.count > 600 ? "…" : "")
    }

    /// The answer for a line that posts.
    static func about(_ poster: FlowGraph.CallSite, _ graph: FlowGraph) -> LiveSide {
        let edges = graph.rates.filter { $0.key.from == poster.id }
            .sorted { ($1.value, $0.key.to) < ($0.value, $1.key.to) }
        let most = max(edges.first?.value ?? 0, 1e-9)
        let threads = poster.threads.sorted().joined(separator: ", ")
        var side = LiveSide(
            crumb: "Posted at", title: LiveText.place(poster.place), tone: "fine",
            verdict: "It posts \(LiveText.often(poster.rate)).", text: "On \(threads).")
        if poster.place == FlowEvents.unknownPlace {
            side.text +=
                " The line is found with llvm-symbolizer, which comes with Swift, and needs a program that "
                + "was not stripped."
        }
        side.sections.append(
            Section(
                title: "Posts", kind: "bars",
                lines: edges.prefix(8).compactMap { edge, rate in
                    graph.topics[edge.to].map { topic in
                        Line(
                            name: LiveText.topic(topic.text), value: LiveText.rate(rate),
                            bar: LiveText.bar(rate, of: most), about: topic.id)
                    }
                }))
        side.sections.append(
            Section(
                title: "The line", kind: "list",
                lines: [Line(name: "at", value: LiveText.short(poster.place))]))
        return side
    }

    /// The answer for one post: its deliveries.
    static func about(post number: UInt64, _ window: LiveWindow, _ graph: FlowGraph) -> LiveSide {
        guard let post = graph.events.posts[number] else {
            return LiveSide(
                crumb: "One post", title: "It has gone", tone: "note",
                verdict: "The post is no longer known.",
                text: "The last seconds alone are kept. Choose a newer one.")
        }
        let names = LiveBarNames(window, graph)
        let calls = graph.events.deliveries.filter { $0.post == number }.sorted { $0.end < $1.end }
        var side = LiveSide(
            crumb: "One post", title: LiveText.topic(post.topic), tone: "fine",
            verdict: calls.count == 1 ? "One handler ran." : "\(calls.count) handlers ran.",
            text: "It was posted at \(LiveText.short(post.place)), on \(post.thread).")
        if post.isUnheard {
            (side.tone, side.verdict) = ("note", "Nobody heard it.")
        } else if let last = calls.map({ ($0.waited ?? 0) + $0.took }).max() {
            side.text +=
                " The slowest handler was done \(LiveText.time(last)) after the post began."
            if last >= 0.016 { side.tone = "late" }
        } else {
            side.text += " Its handlers have not run yet, or what they did was not seen."
        }
        if !calls.isEmpty {
            side.sections.append(
                Section(
                    title: "Its handlers", kind: "list",
                    lines: calls.prefix(12).map { call in
                        let about = graph.handlerOfRegistration[call.registration]
                            .map { graph.handlers[$0].id }
                        return Line(
                            name: "\(names.handler(call.registration)), on \(call.thread)",
                            value: call.waited.map {
                                "waits \(LiveText.time($0)), takes \(LiveText.time(call.took))"
                            } ?? "takes \(LiveText.time(call.took))",
                            about: about)
                    }))
        }
        side.hint = "The lanes stand still. Escape lets them go on. \(payloads)"
        return side
    }
}
