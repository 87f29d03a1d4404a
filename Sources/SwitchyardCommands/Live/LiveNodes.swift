// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The nodes and edges of the picture, as the page gets them: at most 40 of a side, and the rest as
/// one.
struct LiveNodes {
    static let mostOfASide = 40
    private static let mostEdges = 160

    /// A line that posts.
    struct CallSite: Encodable, Equatable {
        var place: String
        var detail: String
        var rate: Double
        var words: String
    }

    /// A name or message.
    struct Topic: Encodable, Equatable {
        var name: String
        var rate: Double
        var words: String
        /// Whether it was posted and nobody heard it.
        var isUnheard: Bool
    }

    /// A context.
    struct Context: Encodable, Equatable {
        var name: String
        var detail: String
        var isFull: Bool
    }

    /// The registrations of one origin, as a node.
    struct Handler: Encodable, Equatable {
        var context: String
        var place: String
        var hears: String
        var rate: Double
        /// The slowest in a hundred, from the post to the handler's end; empty without any.
        var time: String
        var level: Int
        /// The number of registrations of this line.
        var count: Int
        var words: String
        /// The handler's rank among the handlers of its context.
        var sequence: UInt64
    }

    /// A way.
    struct Edge: Encodable, Equatable {
        var from: String
        var to: String
        var rate: Double
        var level: Int
        var words: String
        /// The slowest in a hundred; empty without any.
        var waits: String
        var takes: String
        /// Whether it is the waiting that makes them slow.
        var isWaiting = false
    }

    private(set) var posters: [(key: String, node: CallSite)] = []
    private(set) var topics: [(key: String, node: Topic)] = []
    private(set) var contexts: [(key: String, node: Context)] = []
    private(set) var handlers: [(key: String, node: Handler)] = []
    private(set) var edges: [(key: String, edge: Edge)] = []
    /// The number of edges with the lowest rates that are left out.
    private(set) var hiddenEdges = 0
    /// The nodes that stand for nodes of the graph without one of their own, by the keys of those.
    private var substitutes: [String: String] = [:]

    /// - Parameter selected: a node that is shown in any case.
    init(_ graph: FlowGraph, selected: String?) {
        func isFirst(_ one: (String, Double), _ other: (String, Double)) -> Bool {
            if (one.0 == selected) != (other.0 == selected) { return one.0 == selected }
            return (other.1, one.0) < (one.1, other.0)
        }
        addPosters(graph.posters.values.sorted { isFirst(($0.id, $0.rate), ($1.id, $1.rate)) })
        addTopics(graph.topics.values.sorted { isFirst(($0.id, $0.rate), ($1.id, $1.rate)) })
        addHandlers(
            graph.handlers.sorted {
                isFirst(
                    ($0.id, $0.row.busy * 1e6 + $0.row.rate),
                    ($1.id, $1.row.busy * 1e6 + $1.row.rate))
            }, graph)
        addEdges(graph)
    }

    private func shown<Node>(_ all: [Node]) -> (own: ArraySlice<Node>, rest: ArraySlice<Node>) {
        let count = all.count <= Self.mostOfASide ? all.count : Self.mostOfASide - 1
        return (all.prefix(count), all.dropFirst(count))
    }

    private mutating func addPosters(_ all: [FlowGraph.CallSite]) {
        let (own, rest) = shown(all)
        for poster in own {
            let threads = poster.threads.sorted()
            let detail =
                threads.count > 1 ? "on \(threads.count) threads" : "on \(threads.first ?? "")"
            posters.append(
                (
                    poster.id,
                    CallSite(
                        place: LiveText.place(poster.place), detail: detail,
                        rate: LiveText.rounded(poster.rate),
                        words: LiveText.rate(poster.rate))
                ))
        }
        guard !rest.isEmpty else { return }
        let rate = rest.reduce(0) { $0 + $1.rate }
        for poster in rest { substitutes[poster.id] = "p:rest" }
        posters.append(
            (
                "p:rest",
                CallSite(
                    place: "\(rest.count) more lines", detail: "together",
                    rate: LiveText.rounded(rate),
                    words: LiveText.rate(rate))
            ))
    }

    private mutating func addTopics(_ all: [FlowGraph.Topic]) {
        let (own, rest) = shown(all)
        for topic in own {
            topics.append(
                (
                    topic.id,
                    Topic(
                        name: LiveText.topic(topic.text), rate: LiveText.rounded(topic.rate),
                        words: LiveText.rate(topic.rate), isUnheard: topic.isUnheard)
                ))
        }
        guard !rest.isEmpty else { return }
        let rate = rest.reduce(0) { $0 + $1.rate }
        for topic in rest { substitutes[topic.id] = "t:rest" }
        topics.append(
            (
                "t:rest",
                Topic(
                    name: "\(rest.count) more names", rate: LiveText.rounded(rate),
                    words: LiveText.rate(rate),
                    isUnheard: false)
            ))
    }

    private mutating func addHandlers(_ all: [FlowGraph.Handler], _ graph: FlowGraph) {
        let (own, rest) = shown(all)
        for handler in own {
            if !contexts.contains(where: { $0.key == handler.context }),
                let context = graph.contexts[handler.context]
            {
                contexts.append((context.id, Context(context)))
            }
            handlers.append((handler.id, Handler(handler)))
        }
        guard !rest.isEmpty else { return }
        let rate = rest.reduce(0) { $0 + $1.row.rate }
        for handler in rest { substitutes[handler.id] = "o:rest" }
        contexts.append(("c:rest", Context(name: "elsewhere", detail: "", isFull: false)))
        handlers.append(
            (
                "o:rest",
                Handler(
                    context: "c:rest", place: "\(rest.count) more places", hears: "",
                    rate: LiveText.rounded(rate),
                    time: "", level: rest.map { LiveText.level($0.slowest) }.max() ?? 0,
                    count: 1, words: LiveText.rate(rate), sequence: .max)
            ))
    }

    private mutating func addEdges(_ graph: FlowGraph) {
        var ways: [FlowGraph.Edge: Edge] = [:]
        let handlers = Dictionary(graph.handlers.map { ($0.id, $0) }) { one, _ in one }
        for (edge, rate) in graph.rates {
            let way = FlowGraph.Edge(
                from: substitutes[edge.from] ?? edge.from, to: substitutes[edge.to] ?? edge.to)
            let handler = handlers[edge.to]
            let level = LiveText.level(handler?.slowest ?? 0)
            if var known = ways[way] {
                known.rate += rate
                known.level = max(known.level, level)
                // Several ways that are shown as one have no times in common.
                (known.waits, known.takes) = ("", "")
                ways[way] = known
            } else {
                ways[way] = Edge(
                    from: way.from, to: way.to, rate: rate, level: level, words: "",
                    waits: handler?.row.waited.map(LiveText.time) ?? "",
                    takes: handler?.row.took.map(LiveText.time) ?? "",
                    isWaiting: (handler?.row.waited ?? 0) > (handler?.row.took ?? 0))
            }
        }
        let all = ways.values.sorted { ($1.rate, $0.from, $0.to) < ($0.rate, $1.from, $1.to) }
        hiddenEdges = max(0, all.count - Self.mostEdges)
        edges = all.prefix(Self.mostEdges).map { edge in
            var edge = edge
            edge.words = LiveText.rate(edge.rate)
            edge.rate = LiveText.rounded(edge.rate)
            return ("e:\(edge.from)>\(edge.to)", edge)
        }
    }
}

extension LiveNodes.Context {
    fileprivate init(_ context: FlowGraph.Context) {
        var parts: [String] = []
        if context.waiting > 0 {
            parts.append(
                context.waiting == 1
                    ? "1 waits" : "\(LiveText.number(Double(context.waiting))) wait")
        }
        if context.isThread, context.busy > 0 {
            parts.append("busy \(HandlerTable.percent(context.busy))")
        }
        self.init(
            name: LiveText.short(context.name), detail: parts.joined(separator: " · "),
            isFull: context.isFull)
    }
}

extension LiveNodes.Handler {
    fileprivate init(_ handler: FlowGraph.Handler) {
        let hasTime = handler.row.took != nil
        self.init(
            context: handler.context, place: LiveText.place(handler.row.handler),
            hears: handler.hears, rate: LiveText.rounded(handler.row.rate),
            time: hasTime ? LiveText.time(handler.slowest) : "",
            level: LiveText.level(handler.slowest), count: handler.row.count,
            words: LiveText.rate(handler.row.rate), sequence: handler.sequence)
    }
}
