// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardConsole

/// The whole picture of a process at a moment, in parts that each have a key and are sent when they change.
struct LivePicture: Equatable, Sendable {
    /// One part.
    struct Part: Equatable, Sendable {
        var key: String
        /// A value, as one line of JSON.
        var json: String
    }

    /// The most important first.
    private(set) var parts: [Part] = []

    /// No picture yet.
    init() {}

    private mutating func add(_ key: String, _ value: some Encodable) {
        // All of it is texts and finite numbers.
        guard let json = try? JSONLine.text(of: value) else { return }
        parts.append(Part(key: key, json: json))
    }
}

extension LivePicture {
    /// The process, and what is done with it.
    struct Process: Encodable, Equatable {
        var number: Int32
        var name: String
        var isPaused = false
        /// Whether it has ended. Then nothing changes any more.
        var hasEnded = false
        var budget: UInt32
        var cost: String
        /// What was chosen.
        var chosen = ""
    }

    /// - Parameter moment: what stands still; nil to draw what is known now.
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
        let chosen = Self.chosenPost(selection, graph)
        let lanes = moment?.lanes ?? LiveLanes(window, graph, chosen: chosen)
        for (index, lane) in lanes.lanes.enumerated() { add("l:\(index)", lane) }
        add("arrows", lanes.arrows)
        add("still", moment != nil)
    }

    /// The post that is marked in the lanes: the one that was chosen, or the newest of what was chosen.
    static func chosenPost(_ selection: LiveSelection, _ graph: FlowGraph) -> UInt64? {
        switch selection {
        case .nothing: return nil
        case .post(let number): return number
        case .node(let key):
            if let index = graph.handlers.firstIndex(where: { $0.id == key }) {
                let own = graph.events.deliveries.filter {
                    graph.handlerOfRegistration[$0.registration] == index
                }
                return own.max { $0.end < $1.end }?.post
            }
            let text = graph.topics[key]?.text
            let place = graph.posters[key]?.place
            let own = graph.events.posts.filter {
                $0.value.topic == text || $0.value.place == place
            }
            return own.max { ($0.value.time, $0.key) < ($1.value.time, $1.key) }?.key
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
