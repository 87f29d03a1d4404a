// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole
internal import SwitchyardInspection

/// The whole picture of a process at a moment, in parts that each have a key and are sent when they
/// change.
struct LivePicture: Equatable, Sendable {
    /// One part.
    struct Part: Equatable, Sendable {
        var key: String
        /// A value, as one line of JSON.
        var json: String
    }

    /// The most important first; none if there is no picture yet.
    private(set) var parts: [Part] = []

    private mutating func add(_ key: String, _ value: some Encodable) {
        // The picture has texts and finite numbers alone.
        guard let json = try? JSONLine.text(of: value) else { return }
        parts.append(Part(key: key, json: json))
    }
}

extension LivePicture {
    /// The process, and the state of its inspection.
    struct Process: Encodable, Equatable {
        var number: Int32
        var name: String
        var isPaused = false
        /// Whether it has ended. Then nothing changes any more.
        var hasEnded = false
        /// The reason for which the tool looks at it no longer, though it has not ended; empty for
        /// none.
        var problem = ""
        var budget: UInt32
        var cost: String
        /// The key of the choice.
        var chosen = ""
    }

    /// - Parameter moment: the moment at which the page stands still; nil to draw the present.
    init(
        _ process: Process, _ window: LiveWindow, _ graph: FlowGraph, _ history: LiveHistory,
        _ selection: LiveSelection, _ moment: LiveMoment? = nil
    ) {
        let nodes = LiveNodes(graph, selected: selection.node)
        let findings = LiveFinding.all(window, graph, nodes)
        add("process", process)
        add("facts", LiveFacts(window, graph, history).facts)
        for (key, node) in nodes.contexts { add(key, node) }
        for (key, node) in nodes.topics { add(key, node) }
        for (key, node) in nodes.handlers { add(key, node) }
        for (key, node) in nodes.posters { add(key, node) }
        for (key, edge) in nodes.edges { add(key, edge) }
        add("hidden", nodes.hiddenEdges)
        add("side", moment?.side ?? LiveSide(window, graph, selection, findings: findings))
        add("findings", findings)
        let chosen = Self.chosenPost(selection, window, graph)
        let lanes = moment?.lanes ?? LiveLanes(window, graph, chosen: chosen)
        for (index, lane) in lanes.lanes.enumerated() { add("l:\(index)", lane) }
        add("arrows", lanes.arrows)
        add("still", moment != nil)
    }

    /// The post that is marked in the lanes: the one that was chosen, or the slowest of the chosen
    /// element in the last second.
    static func chosenPost(
        _ selection: LiveSelection, _ window: LiveWindow, _ graph: FlowGraph
    ) -> UInt64? {
        switch selection {
        case .nothing: return nil
        case .post(let number): return number
        case .node(let key):
            let end = window.recording.clock.end
            let begin = end > LiveLanes.span ? end - LiveLanes.span : 0
            let text = graph.topics[key]?.text
            let place = graph.posters[key]?.place
            let index = graph.handlers.firstIndex { $0.id == key }
            let own = graph.events.deliveries.filter { delivery in
                guard let post = graph.events.posts[delivery.post], post.time >= begin else {
                    return false
                }
                return post.topic == text || post.place == place
                    || (index != nil && graph.handlerOfRegistration[delivery.registration] == index)
            }
            func duration(_ one: FlowEvents.Delivery) -> Double { (one.waited ?? 0) + one.took }
            return own.max { (duration($0), $0.post) < (duration($1), $1.post) }?.post
        }
    }

    /// The picture with another word about the process.
    func with(_ process: Process) -> LivePicture {
        var first = LivePicture()
        first.add("process", process)
        var picture = self
        picture.parts.removeAll { $0.key == "process" }
        picture.parts.insert(contentsOf: first.parts, at: 0)
        return picture
    }

    /// The picture with a word about whether the process answers. An empty one stays so.
    func with(isSilent: Bool) -> LivePicture {
        var picture = self
        if !parts.isEmpty { picture.add("silent", isSilent) }
        return picture
    }
}

/// A post that was chosen, with the lanes at that time.
struct LiveMoment {
    let lanes: LiveLanes
    let side: LiveSide

    init(of post: UInt64, _ window: LiveWindow, _ graph: FlowGraph) {
        lanes = LiveLanes(window, graph, chosen: post)
        side = LiveSide(window, graph, .post(post), findings: [])
    }
}
