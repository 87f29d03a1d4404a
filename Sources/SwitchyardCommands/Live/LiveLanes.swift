// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardInspection

/// The work of the last second, with one post and its deliveries: a lane for each thread, and one
/// for all async handlers.
struct LiveLanes: Equatable {
    /// The nanoseconds that the lanes span.
    static let span: UInt64 = 1_000_000_000
    /// The width of the lanes in the units of the page.
    private static let width = 10_000.0
    private static let mostLanes = 8
    private static let mostBarsOfALane = 60

    /// One thread, or the async handlers.
    struct Lane: Encodable, Equatable {
        var name: String
        var bars: [Bar]

        private enum Key: String, CodingKey { case name, names, bars }

        /// Writes each bar as a list, and the texts of all bars once.
        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            let names = Array(Set(bars.map(\.name))).sorted()
            let indices = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
            try object.encode(name, forKey: .name)
            try object.encode(names, forKey: .names)
            var list = object.nestedUnkeyedContainer(forKey: .bars)
            for bar in bars {
                var entry = list.nestedUnkeyedContainer()
                for number in [bar.begin, bar.width, bar.level, bar.depth] {
                    try entry.encode(number)
                }
                try entry.encode(bar.post)
                try entry.encode(indices[bar.name] ?? 0)
                try entry.encode(bar.time)
                try entry.encode(bar.isChosen ? 1 : 0)
            }
        }
    }

    /// A handler's call, or a post.
    struct Bar: Equatable {
        var begin: Int
        var width: Int
        var level: Int
        /// Whether it lies inside another.
        var depth: Int
        /// The number of the post.
        var post: String
        /// The handler's origin, or the topic.
        var name: String
        var time: String
        /// Whether it belongs to the chosen post.
        var isChosen: Bool
    }

    /// The way of a delivery from one lane to another.
    struct Arrow: Encodable, Equatable {
        var fromLane: Int
        var from: Int
        var toLane: Int
        var to: Int
        var words: String
    }

    private(set) var lanes: [Lane] = []
    private(set) var arrows: [Arrow] = []

    /// - Parameter chosen: the post to be marked.
    init(_ window: LiveWindow, _ graph: FlowGraph, chosen: UInt64?) {
        let names = LiveBarNames(window, graph)
        let clock = window.recording.clock
        let begin = clock.end > Self.span ? clock.end - Self.span : 0
        var asyncCalls: [TraceSlices.Slice] = []
        var drafts = window.recording.threads.compactMap { thread -> Draft? in
            let recent = TraceSlices(thread.events.filter { clock.time($0.ticks) >= begin })
            asyncCalls += recent.asyncCalls
            if recent.slices.isEmpty { return nil }
            return Draft(
                name: FlowEvents.name(of: thread, window), isMain: thread.number == window.process,
                slices: recent.slices, begin: begin, clock: clock, names: names, chosen: chosen)
        }
        if !asyncCalls.isEmpty {
            drafts.append(
                Draft(
                    name: "async handlers", isMain: false,
                    slices: asyncCalls.sorted { ($0.begin, $1.end) < ($1.begin, $0.end) },
                    begin: begin, clock: clock, names: names, chosen: chosen))
        }
        drafts.sort { ($0.rank, $0.name) < ($1.rank, $1.name) }
        drafts = Array(drafts.prefix(Self.mostLanes))
        lanes = drafts.map { Lane(name: $0.name, bars: $0.bars.map(\.bar)) }
        let deliveries = graph.events.deliveries.filter { $0.post == chosen }
        arrows = Self.arrows(
            drafts,
            waits: Dictionary(deliveries.map { ($0.registration, $0.waited) }) { one, _ in one })
    }

    /// The position of a part of the span in the units of the page. The numbers come from another
    /// process, which may send any.
    private static func place(of part: Double) -> Int {
        Int(min(max(part, 0), 1_000) * width)
    }

    /// From the chosen post to the handlers that it called through mailboxes.
    ///
    /// - Parameter waits: the seconds that its deliveries waited, by registration. A delivery comes
    ///   into its mailbox after the handlers that the post has called inline before.
    private static func arrows(_ drafts: [Draft], waits: [UInt64: Double?]) -> [Arrow] {
        var start: (lane: Int, at: Int, time: UInt64)?
        for (lane, draft) in drafts.enumerated() {
            if let bar = draft.bars.first(where: { $0.bar.isChosen && !$0.isHandler }) {
                start = (lane, bar.bar.begin, bar.time)
            }
        }
        guard let start else { return [] }
        return drafts.enumerated().flatMap { lane, draft in
            draft.bars.filter { $0.bar.isChosen && $0.cameThroughMailbox }.prefix(8).map { bar in
                let later = Double(bar.time > start.time ? bar.time - start.time : 0) / 1e9
                let waited = waits[bar.registration] ?? nil
                return Arrow(
                    fromLane: start.lane, from: start.at, toLane: lane, to: bar.bar.begin,
                    words: waited.map { "waits \(LiveText.time($0))" }
                        ?? "\(LiveText.time(later)) after the post")
            }
        }
    }
}

// MARK: - The bars of a lane

extension LiveLanes {
    /// A lane before it is shown.
    private struct Draft {
        struct DraftBar {
            var bar: Bar
            /// The id of the handler's registration; 0 of a post.
            var registration: UInt64
            var isHandler: Bool { registration != 0 }
            var cameThroughMailbox: Bool
            /// The beginning of the post, in nanoseconds since the system's start.
            var time: UInt64
        }

        var name: String
        var bars: [DraftBar]
        /// The main thread first, then those that the chosen post came to.
        var rank: Int

        init(
            name: String, isMain: Bool, slices: [TraceSlices.Slice], begin: UInt64,
            clock: TraceTimes, names: LiveBarNames, chosen: UInt64?
        ) {
            self.name = name
            // The ends of the slices drawn last, by depth. Those of async handlers may overlap: each
            // is drawn inside all that go on.
            var ends: [UInt64] = []
            bars = slices.map { slice in
                while let last = ends.last, last <= slice.begin { ends.removeLast() }
                let depth = ends.count
                ends.append(slice.end)
                let seconds = clock.span(slice.end &- slice.begin) / 1e9
                let distance = Double(clock.time(slice.begin)) - Double(begin)
                // A slice that began before the window is drawn from the window's beginning.
                let from = max(0, distance)
                let to = max(from, distance + seconds * 1e9)
                let (text, registration) = names.name(of: slice)
                return DraftBar(
                    bar: Bar(
                        begin: LiveLanes.place(of: from / Double(span)),
                        width: max(1, LiveLanes.place(of: (to - from) / Double(span))),
                        level: registration == 0 ? 0 : LiveText.level(seconds),
                        depth: min(depth, 3),
                        post: "\(slice.post)", name: text, time: LiveText.time(seconds),
                        isChosen: slice.post == chosen),
                    registration: registration, cameThroughMailbox: slice.cameThroughMailbox,
                    time: clock.time(slice.begin))
            }
            rank = isMain ? 0 : bars.contains { $0.bar.isChosen } ? 1 : 2
            thin()
        }

        /// Leaves out the shortest bars where there are more than people see: first those that are
        /// not chosen.
        private mutating func thin() {
            guard bars.count > mostBarsOfALane else { return }
            if bars.count(where: \.bar.isChosen) >= mostBarsOfALane { return keepLongestChosen() }
            let widths = bars.map { $0.bar.isChosen ? .max : $0.bar.width }.sorted(by: >)
            let limit = widths[mostBarsOfALane]
            // Bars of the same shortness: takes every n-th, so that no part of the lane is empty.
            let longer = bars.count { $0.bar.isChosen || $0.bar.width > limit }
            let equal = bars.count { !$0.bar.isChosen && $0.bar.width == limit }
            let room = mostBarsOfALane - longer
            let step = room == 0 ? equal + 1 : (equal + room - 1) / room
            var seen = 0
            bars = bars.filter { bar in
                if bar.bar.isChosen || bar.bar.width > limit { return true }
                if bar.bar.width < limit { return false }
                seen += 1
                return seen % step == 0
            }
        }

        /// Leaves out all that is not chosen, and the shortest of the rest.
        private mutating func keepLongestChosen() {
            let chosen = bars.indices.filter { bars[$0].bar.isChosen }
            let longest = chosen.sorted {
                (bars[$1].bar.width, $0) < (bars[$0].bar.width, $1)
            }.prefix(mostBarsOfALane)
            bars = longest.sorted().map { bars[$0] }
        }
    }
}

/// The words for slices.
struct LiveBarNames {
    private let window: LiveWindow
    private var origins: [UInt64: String] = [:]

    init(_ window: LiveWindow, _ graph: FlowGraph) {
        self.window = window
        for (id, index) in graph.handlerOfRegistration {
            origins[id] = LiveText.place(graph.handlers[index].row.handler)
        }
    }

    /// The words for a slice, and the id of the registration; 0 of a post.
    func name(of slice: TraceSlices.Slice) -> (text: String, registration: UInt64) {
        switch slice.kind {
        case .post(let topic, _, _): (LiveText.topic(window.topics[topic] ?? "?"), 0)
        case .handler(let id):
            (window.recording.registrations.isOfLast(id, at: slice.end) ? handler(id) : ended, id)
        }
    }

    /// The origin of a registration.
    func handler(_ id: UInt64) -> String {
        origins[id] ?? window.ended[id].map(LiveText.place) ?? ended
    }

    private var ended: String { "an ended observation" }
}
