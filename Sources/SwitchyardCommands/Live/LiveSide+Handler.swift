// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardInspection

extension LiveSide {
    /// The answer for a handler: whether it is late, and why.
    static func about(
        _ handler: FlowGraph.Handler, _ window: LiveWindow, _ graph: FlowGraph
    ) -> LiveSide {
        let context = graph.contexts[handler.context]
        let place = LiveText.place(handler.row.handler)
        var side = LiveSide(
            crumb: "\(handler.hears) → \(LiveText.short(handler.row.context))",
            title: place, tone: "fine", verdict: "", text: "")
        let answer = HandlerAnswer(handler, context, graph)
        (side.tone, side.verdict, side.text) = (answer.tone, answer.verdict, answer.text)
        if let took = handler.row.took {
            side.sections.append(path(handler.row.waited, took))
            let waits = handler.times.waits
            side.sections.append(
                waits.isEmpty
                    ? steps("How long it takes", handler.times.takes)
                    : steps("How long it waits for \(LiveText.short(handler.row.context))", waits))
        }
        if let context, context.isThread, context.busy > 0 {
            side.sections.append(work(of: context, graph))
        }
        side.sections += [posted(handler, graph)].filter { !$0.lines.isEmpty }
        side.sections.append(registered(handler))
        side.sections += [lastOnes(handler, window, graph)].filter { !$0.lines.isEmpty }
        side.hint = answer.hint
        return side
    }

    private static func path(_ waited: Double?, _ took: Double) -> Section {
        let all = max((waited ?? 0) + took, 1e-9)
        var lines: [Line] = []
        if let waited {
            lines.append(
                Line(
                    name: "waits", value: LiveText.time(waited), bar: LiveText.bar(waited, of: all),
                    level: LiveText.level(waited)))
        }
        lines.append(
            Line(
                name: "handler", value: LiveText.time(took), bar: LiveText.bar(took, of: all),
                level: LiveText.level(took)))
        return Section(
            title: "One delivery, slowest in a hundred", kind: "path", lines: lines,
            note: "\(LiveText.time(all)) in all")
    }

    /// The numbers of times that lie between powers of ten and their thirds.
    private static func steps(_ title: String, _ times: [Double]) -> Section {
        let bounds = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, .infinity]
        var counts = Array(repeating: 0, count: bounds.count)
        for time in times { counts[bounds.firstIndex { time < $0 } ?? bounds.count - 1] += 1 }
        let most = max(counts.max() ?? 0, 1)
        let names = [
            "10 µs", "30 µs", "100 µs", "300 µs", "1 ms", "3 ms", "10 ms", "30 ms", "100 ms",
            "300 ms",
        ]
        return Section(
            title: title, kind: "steps",
            lines: counts.enumerated().map { index, count in
                Line(
                    name: index < names.count ? "under \(names[index])" : "longer",
                    value: "\(count)", bar: 100 * count / most,
                    level: LiveText.level(index == 0 ? 0 : bounds[index - 1]))
            })
    }

    private static func work(of context: FlowGraph.Context, _ graph: FlowGraph) -> Section {
        let rows = graph.handlers.filter { $0.context == context.id && $0.row.busy > 0.0005 }
            .sorted { ($1.row.busy, $0.id) < ($0.row.busy, $1.id) }
        var lines = rows.prefix(5).map { handler in
            Line(
                name: LiveText.place(handler.row.handler),
                value: HandlerTable.percent(handler.row.busy),
                bar: LiveText.bar(handler.row.busy), about: handler.id)
        }
        let rest = max(0, 1 - context.busy)
        lines.append(
            Line(
                name: "no handler", value: HandlerTable.percent(rest), bar: LiveText.bar(rest)))
        return Section(
            title: "What \(LiveText.short(context.name)) does", kind: "bars", lines: lines)
    }

    private static func posted(_ handler: FlowGraph.Handler, _ graph: FlowGraph) -> Section {
        let topics = graph.rates.keys.filter { $0.to == handler.id }.map(\.from)
        return posters(of: Set(topics), graph)
    }

    /// The lines that post some topics.
    static func posters(of topics: Set<String>, _ graph: FlowGraph) -> Section {
        let edges = graph.rates.filter { topics.contains($0.key.to) }
            .sorted { ($1.value, $0.key.from) < ($0.value, $1.key.from) }
        let most = max(edges.first?.value ?? 0, 1e-9)
        return Section(
            title: "Posted at", kind: "bars",
            lines: edges.prefix(6).compactMap { edge, rate in
                graph.posters[edge.from].map { poster in
                    Line(
                        name: LiveText.short(poster.place), value: LiveText.rate(rate),
                        bar: LiveText.bar(rate, of: most), about: poster.id)
                }
            })
    }

    private static func registered(_ handler: FlowGraph.Handler) -> Section {
        let row = handler.row
        var lines = [
            Line(name: "at", value: LiveText.short(row.handler)),
            Line(name: "hears", value: handler.hears),
            Line(name: "on", value: LiveText.short(row.context)),
            Line(name: "center", value: LiveText.short(row.center)),
            Line(name: "deliveries", value: LiveText.rate(row.rate)),
            Line(name: "so far", value: LiveText.number(Double(handler.delivered))),
        ]
        if row.count > 1 {
            lines.append(Line(name: "registrations of this line", value: "\(row.count)"))
        }
        if row.lost > 0 {
            lines.append(Line(name: "lost", value: "\(LiveText.number(Double(row.lost)))"))
        }
        if row.filtered > 0 {
            lines.append(
                Line(
                    name: "turned away by its condition",
                    value: LiveText.number(Double(row.filtered))))
        }
        if row.consumed > 0 {
            lines.append(Line(name: "consumed", value: LiveText.number(Double(row.consumed))))
        }
        return Section(title: "Registered", kind: "list", lines: lines)
    }

    private static func lastOnes(
        _ handler: FlowGraph.Handler, _ window: LiveWindow, _ graph: FlowGraph
    ) -> Section {
        let index = graph.handlers.firstIndex { $0.id == handler.id }
        let end = window.recording.clock.end
        let last = graph.events.deliveries
            .filter { graph.handlerOfRegistration[$0.registration] == index }
            .sorted { $0.end > $1.end }.prefix(4)
        return Section(
            title: "The last ones", kind: "list",
            lines: last.map { delivery in
                let ago = Double(end &- min(delivery.end, end)) / 1e9
                let place = graph.events.posts[delivery.post]?.place
                return Line(
                    name: "\(LiveText.time(ago)) ago"
                        + (place.map { ", \(LiveText.place($0))" } ?? ""),
                    value: (delivery.waited.map { "\(LiveText.time($0)) + " } ?? "")
                        + LiveText.time(delivery.took),
                    about: "post:\(delivery.post)")
            },
            note: payloads)
    }
}
