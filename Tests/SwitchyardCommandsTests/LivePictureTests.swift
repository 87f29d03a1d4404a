// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCommands
@testable import SwitchyardCore
@testable import SwitchyardInspection

/// The picture of the live page, made from a process's answers.
@Suite("The live page's picture") struct LivePictureTests {
    /// The tick at which the window ends. A tick is a nanosecond.
    private static let end: UInt64 = 10_000_000_000
    private static let millisecond: UInt64 = 1_000_000

    private func registration(
        _ id: UInt64, _ topic: String, on context: String = "main", line: UInt32 = 1,
        delivered: UInt64 = 0, lost: UInt64 = 0, depth: UInt32 = 0, mailbox: UInt64 = 1
    ) -> InspectedCenters.Registration {
        InspectedCenters.Registration(
            id: id, sequence: id, topic: topic, object: "any object", context: context,
            file: "app/View.swift", line: line, priority: 0, flags: [], delivered: delivered,
            lost: lost, depth: depth, mailbox: mailbox)
    }

    private func centers(
        _ registrations: [InspectedCenters.Registration],
        findings: [InspectedCenters.Finding] = []
    ) -> InspectedCenters {
        InspectedCenters([
            .init(
                number: 1, name: "c", expired: 0, registrations: registrations, findings: findings)
        ])
    }

    private func detail(milliseconds: UInt64) -> UInt32 {
        UInt32(milliseconds * Self.millisecond / TraceClock.ticksOfDetail)
    }

    /// Five seconds of a process, with the events of its threads: 1 is main, 2 is "worker".
    private func window(
        _ after: [InspectedCenters.Registration], before: [InspectedCenters.Registration] = [],
        topics: [UInt64: String] = [:], main: [TraceEvent] = [], worker: [TraceEvent] = [],
        samples: HandlerSamples = .none, findings: [InspectedCenters.Finding] = []
    ) -> LiveWindow {
        var recording = TraceRecording()
        func batch(_ time: UInt64, _ threads: [TraceBatch.Thread]) -> TraceBatch {
            TraceBatch(
                clock: .init(ticks: time, nanoseconds: time), interval: 1, topics: [], sites: [],
                threads: threads)
        }
        recording.add(batch(0, []))
        recording.add(
            batch(
                Self.end,
                [
                    .init(ring: 1, number: 1, name: "app", overwritten: 0, events: main),
                    .init(ring: 2, number: 2, name: "worker", overwritten: 0, events: worker),
                ]))
        return LiveWindow(
            process: 1, name: "app", before: centers(before),
            after: centers(after, findings: findings), seconds: 5, samples: samples,
            recording: recording, tracedSeconds: 5, topics: topics,
            sites: [1: "app/Post.swift:7", 2: "app/Post.swift:9"])
    }

    private func node(_ prefix: String, _ words: String...) -> String {
        switch words.count {
        case 1: prefix + LiveText.key(words[0])
        default: prefix + LiveText.key(words[0], words[1], words[2], words[3])
        }
    }

    private func picture(
        _ window: LiveWindow, _ selection: LiveSelection = .nothing
    ) -> [String: String] {
        let process = LivePicture.Process(number: 1, name: "app", budget: 1, cost: "")
        let picture = LivePicture(
            process, window, FlowGraph(window), LiveHistory(), selection)
        return Dictionary(uniqueKeysWithValues: picture.parts.map { ($0.key, $0.json) })
    }

    @Test func `Rates of posts are those of the posts that each traced one stands for`() {
        let posts = (0..<10).map { number in
            TraceEvent(
                .posted, ticks: 6_000_000_000 + UInt64(number), post: UInt64(number), subject: 7,
                detail: number < 4 ? 1 : 2, weight: 3)
        }
        let graph = FlowGraph(window([], topics: [7: "\"Saved\""], main: posts))
        #expect(abs((graph.topics[node("t:", "\"Saved\"")]?.rate ?? 0) - 6) < 1e-9)
        let edge = FlowGraph.Edge(
            from: node("p:", "app/Post.swift:7"), to: node("t:", "\"Saved\""))
        #expect(abs((graph.rates[edge] ?? 0) - 2.4) < 1e-9)
        #expect(graph.posters[node("p:", "app/Post.swift:9")]?.threads == ["main"])
    }

    @Test func `Rates of deliveries are counted, and registrations of one line are one handler`() {
        let graph = FlowGraph(
            window(
                [
                    registration(1, "\"Saved\"", delivered: 110, depth: 4),
                    registration(2, "\"Saved\"", delivered: 60, depth: 4),
                    registration(3, "\"Saved\"", on: "thread w", line: 2, delivered: 50),
                ],
                before: [
                    registration(1, "\"Saved\"", delivered: 10),
                    registration(2, "\"Saved\"", delivered: 10),
                    registration(3, "\"Saved\"", on: "thread w", line: 2, delivered: 0),
                ]))
        #expect(graph.handlers.map(\.row.rate) == [30, 10])
        #expect(graph.handlers.map(\.row.count) == [2, 1])
        #expect(graph.contexts[node("c:", "main")]?.waiting == 4)
        #expect(graph.rates.values.sorted() == [10, 30])
    }

    @Test func `An observer of any name has an edge from each topic that it heard`() {
        let graph = FlowGraph(
            window(
                [registration(1, "any name", on: "the posting thread")],
                topics: [7: "\"A\"", 8: "\"B\""],
                main: [
                    TraceEvent(.posted, ticks: 9_000_000_000, post: 1, subject: 7, weight: 5),
                    TraceEvent(.called, ticks: 9_000_000_100, post: 1, subject: 1),
                    TraceEvent(.posted, ticks: 9_000_000_200, post: 2, subject: 8, weight: 10),
                    TraceEvent(.called, ticks: 9_000_000_300, post: 2, subject: 1),
                ]))
        let handler = graph.handlers[0].id
        #expect(graph.rates[.init(from: node("t:", "\"A\""), to: handler)] == 1)
        #expect(graph.rates[.init(from: node("t:", "\"B\""), to: handler)] == 2)
    }

    @Test func `An observer of names like a pattern has an edge from each topic that it heard`() {
        let pattern = "names like \"folio.*\""
        let graph = FlowGraph(
            window(
                [registration(1, pattern, on: "the posting thread", delivered: 9)],
                before: [registration(1, pattern, on: "the posting thread")],
                topics: [7: "\"folio.A\"", 8: "\"folio.B\""],
                main: [
                    TraceEvent(.posted, ticks: 9_000_000_000, post: 1, subject: 7, weight: 5),
                    TraceEvent(.called, ticks: 9_000_000_100, post: 1, subject: 1),
                    TraceEvent(.posted, ticks: 9_000_000_200, post: 2, subject: 8, weight: 10),
                    TraceEvent(.called, ticks: 9_000_000_300, post: 2, subject: 1),
                ]))
        let handler = graph.handlers[0].id
        #expect(graph.rates[.init(from: node("t:", "\"folio.A\""), to: handler)] == 1)
        #expect(graph.rates[.init(from: node("t:", "\"folio.B\""), to: handler)] == 2)
        #expect(Set(graph.topics.values.map(\.text)) == ["\"folio.A\"", "\"folio.B\""])
    }

    @Test func `Several contexts of one label are not full together`() {
        let sessions = (1...10).map {
            registration($0, "\"Saved\"", on: "actor Session", depth: $0 == 1 ? 1 : 0)
        }
        let looks = HandlerSamples(
            looks: 1000,
            threads: [
                .init(
                    number: 2, name: "worker",
                    looks: Dictionary(uniqueKeysWithValues: (1...10).map { ($0, 93) }))
            ])
        let graph = FlowGraph(window(sessions, before: sessions, samples: looks))
        let context = graph.contexts[node("c:", "actor Session")]
        #expect(abs((context?.busy ?? 0) - 0.93) < 1e-9)
        #expect(context?.isFull == false)
        let one = FlowGraph(window([sessions[0]], before: sessions, samples: looks))
        #expect(one.contexts[node("c:", "actor Session")]?.isThread == true)
    }

    @Test func `Events of a registration that has ended are not those of the next at its place`() {
        let old = registration(1, "\"Saved\"", line: 1)
        var new = registration(1, "\"Saved\"", line: 2)
        new.sequence = 9
        let event = TraceEvent(.called, ticks: 9_000_000_100, post: 1, subject: 1, detail: 9)
        let graph = FlowGraph(window([new], before: [old], main: [event]))
        #expect(graph.handlers[0].row.took == nil)
        #expect(FlowGraph(window([new], before: [new], main: [event])).handlers[0].row.took != nil)
    }

    @Test func `Over 40 nodes of a side the rest is one, with what the rest does together`() throws
    {
        let before = (0..<100).map { registration($0, "\"N\($0)\"", line: UInt32($0) + 1) }
        let after = (0..<100).map {
            registration($0, "\"N\($0)\"", line: UInt32($0) + 1, delivered: 5 * ($0 + 1))
        }
        let graph = FlowGraph(window(after, before: before))
        let last = graph.handlers[0].id
        let nodes = LiveNodes(graph, selected: last)
        #expect(nodes.handlers.count == LiveNodes.mostOfASide)
        #expect(nodes.topics.count == LiveNodes.mostOfASide)
        let rest = try #require(nodes.handlers.first { $0.key == "o:rest" }?.node)
        #expect(rest.place == "61 more places")
        // The handlers with the rates 100 down to 63 are shown, and the chosen one, whose rate is
        // 1.
        #expect(rest.rate == LiveText.rounded((2...62).reduce(0) { $0 + Double($1) }))
        #expect(nodes.handlers.contains { $0.key == last })
        let shown = Set(nodes.handlers.map(\.key) + nodes.topics.map(\.key))
        #expect(
            nodes.edges.allSatisfy { shown.contains($0.edge.from) && shown.contains($0.edge.to) })
        // The edges of the picture carry all posts, no more and no fewer.
        #expect(abs(nodes.edges.reduce(0) { $0 + $1.edge.rate } - 5050) < 5)
    }

    @Test func `Texts of the process become one short line each`() {
        for text in [
            String(repeating: "x", count: 10_000), "a\nb\r\nc", "\u{202E}x", "\u{1B}[31m",
            "Z" + String(repeating: "\u{0301}", count: 9000), "\u{0}",
        ] {
            let short = LiveText.short(text)
            #expect(short.unicodeScalars.count <= 121)
            #expect(
                short.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x202A...0x202E).contains($0.value)
                })
        }
        #expect(LiveText.short("plain") == "plain")
        #expect(LiveText.topic("\"Saved\"") == "“Saved”")
        #expect(LiveText.topic("app.Saved") == "app.Saved")
        #expect(LiveText.place("app/View.swift:7") == "View.swift:7")
    }

    @Test(arguments: [
        (0.00009, 0), (0.0001, 1), (0.0009, 1), (0.001, 2), (0.0159, 2), (0.016, 3), (2, 3),
    ])
    func `A time is one of four steps`(_ seconds: Double, _ level: Int) {
        #expect(LiveText.level(seconds) == level)
    }

    @Test(arguments: [
        (0, "none", "never"), (0.5, "30 a minute", "30 times a minute"),
        (4.25, "4.2 a second", "4.2 times a second"), (29, "29 a second", "29 times a second"),
        (1_234_567, "1,234,567 a second", "1,234,567 times a second"),
    ])
    func `A rate is shown in words`(_ rate: Double, _ words: String, _ often: String) {
        #expect(LiveText.rate(rate) == words)
        #expect(LiveText.often(rate) == often)
    }

    @Test
    func `The cost of looking is said, and by how much rates are too low when events were lost`() {
        var cost = LiveCost()
        cost.eventsPerSecond = 1234
        cost.looksPerSecond = 900
        #expect(
            cost.text
                == "every post is looked at: 1,234 events a second, 0 lost; 900 samples a second")
        cost.interval = 16
        cost.overwritten = 5000
        cost.lostShare = 0.13
        #expect(
            cost.text
                == "one post in 16 is looked at: 1,234 events a second, 5,000 lost; rates of posts are too "
                + "low by 13 %; 900 samples a second")
    }

    @Test(arguments: [
        (0, 0), (0.5724, 0.572), (1.2345, 1.23), (12.6, 12.6), (199.6, 200), (123_456, 123_000),
        (.infinity, 0), (.nan, 0), (-1, 0),
    ])
    func `A figure of the picture has three digits`(_ value: Double, _ rounded: Double) {
        #expect(LiveText.rounded(value) == rounded)
    }

    /// Calls of registration 1 on main, which each waited and took so long.
    private func calls(waited: UInt64, took: UInt64, count: UInt64 = 20) -> [TraceEvent] {
        (0..<count).map { number in
            TraceEvent(
                .delivered,
                ticks: 9_000_000_000 + (waited + took) * Self.millisecond + number * 100,
                post: number, subject: 1, detail: detail(milliseconds: took))
        }
    }

    private func posts(count: UInt64 = 20) -> [TraceEvent] {
        (0..<count).flatMap { number in
            [
                TraceEvent(
                    .posted, ticks: 9_000_000_000 + number * 100, post: number, subject: 7,
                    detail: 1, weight: 1),
                TraceEvent(.queued, ticks: 9_000_000_000 + number * 100, post: number, subject: 1),
            ]
        }
    }

    /// Looks that found main in the handler of a registration so often.
    private func looks(_ counts: [UInt64: UInt32]) -> HandlerSamples {
        HandlerSamples(looks: 100, threads: [.init(number: 1, name: "app", looks: counts)])
    }

    private func answer(
        waited: UInt64, took: UInt64, looks counts: [UInt64: UInt32]
    ) -> HandlerAnswer {
        let window = window(
            [
                registration(1, "\"Saved\"", delivered: 145),
                registration(2, "\"Other\"", line: 2),
            ],
            before: [registration(1, "\"Saved\""), registration(2, "\"Other\"", line: 2)],
            topics: [7: "\"Saved\""], main: calls(waited: waited, took: took), worker: posts(),
            samples: looks(counts))
        let graph = FlowGraph(window)
        return HandlerAnswer(graph.handlers[0], graph.contexts[graph.handlers[0].context], graph)
    }

    @Test func `The answer names the handler that fills a thread`() {
        let own = answer(waited: 38, took: 31, looks: [1: 94])
        #expect(own.tone == "late")
        #expect(own.verdict == "main is full, and this handler fills it.")
        #expect(
            own.text
                == "View.swift:1 takes up to 31 ms, 29 times a second: that is 94 % of the time of main. "
                + "Deliveries wait up to 38 ms.")
        let other = answer(waited: 38, took: 1, looks: [1: 3, 2: 90])
        #expect(other.verdict == "It waits: main is full.")
        #expect(other.text.contains("View.swift:2 takes 90 % of the time of main"))
    }

    @Test
    func `The answer tells a slow handler from a handler that waits, and from a handler in time`() {
        #expect(answer(waited: 1, took: 31, looks: [1: 40]).verdict == "It holds main up.")
        let waiting = answer(waited: 30, took: 1, looks: [1: 3, 2: 40])
        #expect(waiting.verdict == "It is late because it waits.")
        #expect(waiting.text.hasSuffix("View.swift:2 takes 40 %."))
        let fine = answer(waited: 1, took: 1, looks: [:])
        #expect(fine.tone == "fine")
        #expect(
            fine.text
                == "It waits up to 1.0 ms for main, then takes up to 1.0 ms, 29 times a second.")
    }

    @Test func `A wait that was not seen is no reason to say that the posting thread runs it`() {
        func answer(on context: String, _ kind: TraceEvent.Kind) -> HandlerAnswer {
            let window = window(
                [registration(1, "\"Saved\"", on: context, delivered: 145)],
                before: [registration(1, "\"Saved\"", on: context)],
                main: [
                    TraceEvent(
                        kind, ticks: 9_500_000_000, post: 1, subject: 1,
                        detail: detail(milliseconds: 1))
                ])
            let graph = FlowGraph(window)
            return HandlerAnswer(
                graph.handlers[0], graph.contexts[graph.handlers[0].context], graph)
        }
        let unknown = answer(on: "main", .delivered)
        #expect(unknown.tone == "note")
        #expect(unknown.verdict == "It is not known how long it waits.")
        let inline = answer(on: "the posting thread", .called)
        #expect(
            inline.text
                == "It runs on the posting thread and takes up to 1.0 ms, 29 times a second: the poster waits "
                + "for it.")
    }

    @Test func `A delivery that waited for longer than the picture spans is late all the same`() {
        var window = window(
            [registration(1, "\"Saved\"", delivered: 10)], before: [registration(1, "\"Saved\"")],
            topics: [7: "\"Saved\""],
            main: [
                TraceEvent(
                    .delivered, ticks: 9_500_000_000, post: 1, subject: 1,
                    detail: detail(milliseconds: 1))
            ],
            worker: [
                TraceEvent(.posted, ticks: 1_000_000_000, post: 1, subject: 7, weight: 5),
                TraceEvent(.queued, ticks: 1_000_000_000, post: 1, subject: 1),
            ])
        window.recording.keepLast(5_000_000_000, waiting: 30_000_000_000)
        let graph = FlowGraph(window)
        #expect(LiveText.level(graph.handlers[0].slowest) == 3)
        #expect(graph.events.late(in: 5) == 1)
        // The post itself was made before the seconds of the picture.
        #expect(graph.topics[node("t:", "\"Saved\"")]?.rate == 0)
        #expect(graph.posters.isEmpty)
    }

    @Test func `A post that stands for none counts as none`() {
        let graph = FlowGraph(
            window(
                [], topics: [7: "\"Saved\""],
                main: [TraceEvent(.posted, ticks: 9_000_000_000, post: 1, subject: 7, weight: 0)]))
        #expect(graph.topics[node("t:", "\"Saved\"")]?.rate == 0)
    }

    @Test func `A name that nobody hears is marked, found, and answered for`() throws {
        let window = window(
            [registration(1, "\"Saved\"")], topics: [7: "\"Savd\""],
            main: [
                TraceEvent(.posted, ticks: 9_000_000_000, post: 1, subject: 7, weight: 10),
                TraceEvent(.unheard, ticks: 9_000_000_010, post: 1),
            ])
        let key = node("t:", "\"Savd\"")
        let parts = picture(window, .node(key))
        #expect(parts[key]?.contains("\"isUnheard\":true") == true)
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.about) == [key])
        #expect(
            findings[0].text
                == "nobody hears \"Savd\", which was posted 10 times; the nearest name that is observed is "
                + "\"Saved\"")
        #expect(parts["side"]?.contains("Nobody hears it.") == true)
    }

    @Test func `Registrations that grow are a finding`() {
        var window = window([registration(1, "\"Saved\"", line: 13)])
        window.growth = ["the registrations at app/View.swift:13 for \"Saved\" grow"]
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.tag) == ["Grows"])
        #expect(findings.map(\.about) == [graph.handlers[0].id])
    }

    @Test func `A finding leads to the handler that it names`() {
        let window = window(
            [registration(1, "\"Saved\"", line: 13)],
            findings: [
                .init(kind: "ownerDied", text: "a closure, registered at app/View.swift:13, …")
            ])
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.tag) == ["Leak"])
        #expect(findings.map(\.about) == [graph.handlers[0].id])
    }

    @Test func `A finding leads to no handler whose line is only the beginning of another`() {
        let text = "a closure, registered at app/View.swift:12, …"
        let window = window(
            [registration(1, "\"Saved\"", line: 1), registration(2, "\"Saved\"", line: 12)],
            findings: [.init(kind: "ownerDied", text: text)])
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.about) == [graph.handlers[1].id])
    }

    @Test func `A finding about a topic leads to no topic that is only the beginning of its name`()
    {
        let window = window(
            [], topics: [7: "app.Edit", 8: "app.EditDone"],
            main: [
                TraceEvent(.posted, ticks: 9_000_000_000, post: 1, subject: 7, weight: 10),
                TraceEvent(.posted, ticks: 9_000_000_010, post: 2, subject: 8, weight: 1),
                TraceEvent(.unheard, ticks: 9_000_000_020, post: 2),
            ])
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.about) == [node("t:", "app.EditDone")])
    }

    @Test func `A finding about a handler for which others wait leads to that handler`() {
        func call(_ id: UInt64, milliseconds: UInt64) -> [TraceEvent] {
            [
                TraceEvent(.queued, ticks: 9_000_000_000, post: id, subject: id),
                TraceEvent(
                    .delivered, ticks: 9_500_000_000, post: id, subject: id,
                    detail: detail(milliseconds: milliseconds)),
            ]
        }
        let all = [
            registration(1, "\"Saved\"", on: "thread w", line: 1),
            registration(2, "\"Saved\"", on: "thread w", line: 2),
        ]
        let window = window(
            all, before: all, worker: call(1, milliseconds: 1) + call(2, milliseconds: 300))
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.tag) == ["Late"])
        #expect(findings.map(\.about) == [graph.handlers[1].id])
    }

    @Test(arguments: [(UInt64(0), "late"), (3, "note")])
    func `A loss that is over is a lesser finding than one that goes on`(
        lostBefore: UInt64, tone: String
    ) {
        let window = window(
            [registration(1, "\"Saved\"", line: 13, lost: 3)],
            before: [registration(1, "\"Saved\"", line: 13, lost: lostBefore)],
            findings: [
                .init(kind: "loss", text: "3 deliveries were lost … at app/View.swift:13: …")
            ])
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.map(\.tone) == [tone])
    }

    @Test
    func `The chosen post is marked in the lanes, with an arrow that says how long it waited`() {
        let window = window(
            [registration(1, "\"Saved\"")], topics: [7: "\"Saved\""],
            main: calls(waited: 38, took: 31, count: 1), worker: posts(count: 1))
        let graph = FlowGraph(window)
        let lanes = LiveLanes(window, graph, chosen: 0)
        #expect(lanes.lanes.map(\.name) == ["main", "worker"])
        #expect(lanes.lanes[0].bars.map(\.isChosen) == [true])
        #expect(lanes.lanes[0].bars[0].begin == 380)
        #expect(lanes.lanes[0].bars[0].width == 310)
        #expect(lanes.lanes[0].bars[0].level == 3)
        #expect(
            lanes.arrows == [.init(fromLane: 1, from: 0, toLane: 0, to: 380, words: "waits 38 ms")])
        #expect(LiveLanes(window, graph, chosen: nil).arrows == [])
        // A handler that is chosen shows its slowest delivery.
        #expect(LivePicture.chosenPost(.node(graph.handlers[0].id), window, graph) == 0)
    }

    @Test func `Handlers that a post calls inline first do not count to the wait of a delivery`() {
        let begin: UInt64 = 9_100_000_000
        let queued = begin + 30 * Self.millisecond
        let post = [
            TraceEvent(.posted, ticks: begin, post: 5, subject: 7, detail: 1, weight: 1),
            TraceEvent(
                .called, ticks: queued, post: 5, subject: 2, detail: detail(milliseconds: 30)),
            TraceEvent(.queued, ticks: queued, post: 5, subject: 1),
        ]
        let delivered = TraceEvent(
            .delivered, ticks: queued + 6 * Self.millisecond, post: 5, subject: 1,
            detail: detail(milliseconds: 2))
        let registrations = [
            registration(1, "\"Saved\""),
            registration(2, "\"Saved\"", on: "the posting thread", line: 2, mailbox: 0),
        ]
        func words(_ worker: [TraceEvent]) -> [String] {
            let window = window(
                registrations, topics: [7: "\"Saved\""], main: [delivered], worker: worker)
            return LiveLanes(window, FlowGraph(window), chosen: 5).arrows.map(\.words)
        }
        #expect(words(post) == ["waits 4.0 ms"])
        // When it came into the mailbox was not seen.
        #expect(words(Array(post.dropLast())) == ["34 ms after the post"])
    }

    @Test func `As many deliveries wait on a context as in all mailboxes of its name`() {
        let all = [(1, 4), (1, 4), (2, 3)].enumerated().map { number, waiting in
            registration(
                UInt64(number), "\"Saved\"", on: "actor Session", line: UInt32(number),
                depth: UInt32(waiting.1), mailbox: UInt64(waiting.0))
        }
        let graph = FlowGraph(window(all, before: all))
        #expect(graph.contexts[node("c:", "actor Session")]?.waiting == 7)
    }

    @Test func `A lane has no more bars than people see, and the longest are among them`() {
        let many = (0..<1000).map { number in
            TraceEvent(
                .called, ticks: 9_000_000_000 + UInt64(number) * 500_000, post: UInt64(number),
                subject: 1,
                detail: number == 500 ? detail(milliseconds: 8) : 10)
        }
        let window = window([], main: many)
        let bars = LiveLanes(window, FlowGraph(window), chosen: 3).lanes[0].bars
        #expect(bars.count <= 60)
        #expect(bars.contains { $0.post == "500" })
        #expect(bars.contains { $0.isChosen })
    }

    @Test func `A lane has no more bars either where all belong to the post that was chosen`() {
        let many = (0..<1000).map { number in
            TraceEvent(
                .called,
                ticks: 9_000_000_000 + UInt64(number) * 500_000 + (number >= 500 ? 8_000_000 : 0),
                post: 3, subject: 1,
                detail: number == 500 ? detail(milliseconds: 8) : 10)
        }
        let window = window([], main: many)
        let bars = LiveLanes(window, FlowGraph(window), chosen: 3).lanes[0].bars
        #expect(bars.count == 60)
        #expect(bars.map(\.width).max() == 80)
    }

    @Test func `Times that no process can have do not stop the page`() {
        var recording = TraceRecording()
        let event = TraceEvent(.called, ticks: 2, post: 1, subject: 1, detail: .max)
        for (ticks, nanoseconds) in [(UInt64(1), UInt64(0)), (2, 8_000_000_000_000_000_000)] {
            recording.add(
                TraceBatch(
                    clock: .init(ticks: ticks, nanoseconds: nanoseconds), interval: 1, topics: [],
                    sites: [],
                    threads: [.init(ring: 1, number: 1, name: "", overwritten: 0, events: [event])])
            )
        }
        var window = window([])
        window.recording = recording
        #expect(!LiveLanes(window, FlowGraph(window), chosen: nil).lanes.isEmpty)
    }

    @Test func `A bar that began before the last second begins with it, and ends when it ended`() {
        let window = window(
            [],
            main: [
                TraceEvent(
                    .called, ticks: 9_100_000_000, post: 1, subject: 1,
                    detail: detail(milliseconds: 300))
            ])
        let bars = LiveLanes(window, FlowGraph(window), chosen: nil).lanes[0].bars
        #expect(bars.map(\.begin) == [0])
        #expect(bars.map(\.width) == [1000])
        #expect(bars.map(\.time) == ["300 ms"])
    }

    @Test func `Findings are no more than an update has room for, whatever names there are`() {
        let window = window(
            [],
            findings: (0..<30).map {
                .init(
                    kind: "ownerDied", text: "\($0) " + String(repeating: "\u{1F600}", count: 399))
            })
        let graph = FlowGraph(window)
        let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
        #expect(findings.count > 5)
        #expect(findings.reduce(0) { $0 + $1.text.utf8.count } < 16 * 1024)
    }

    @Test func `A dispatch queue without time left is full in the picture as in the findings`() {
        let queue = "dispatch queue \"q\""
        func window(_ looks: [UInt64: UInt32], depth: UInt32 = 5) -> LiveWindow {
            self.window(
                [
                    registration(1, "\"A\"", on: queue, delivered: 5, depth: depth),
                    registration(2, "\"B\"", on: queue, line: 2, delivered: 5),
                ], before: [registration(1, "\"A\"", on: queue)], samples: self.looks(looks))
        }
        func isFull(_ window: LiveWindow) -> (context: Bool?, finding: Bool) {
            let graph = FlowGraph(window)
            let findings = LiveFinding.all(window, graph, LiveNodes(graph, selected: nil))
            return (
                graph.contexts[node("c:", queue)]?.isFull, findings.contains { $0.tag == "Full" }
            )
        }
        #expect(isFull(window([1: 50, 2: 45])) == (true, true))
        #expect(isFull(window([1: 50, 2: 30])) == (false, false))
        // Several queues have one name, and no delivery waits for them.
        #expect(isFull(window([1: 50, 2: 45], depth: 0)) == (false, false))
        // The handlers take more than one thread's time, so they run at the same time.
        #expect(isFull(window([1: 80, 2: 80])) == (false, false))
    }

    @Test(arguments: [
        (#"{"select":"o:1"}"#, LiveCommand.select(.node("o:1"))),
        (#"{"select":""}"#, .select(.nothing)), (#"{"post":"12"}"#, .select(.post(12))),
        (#"{"budget":20000}"#, .budget(20_000)), (#"{"pause":true}"#, .pause(true)),
    ])
    func `A command is read`(_ text: String, _ command: LiveCommand) {
        #expect(LiveCommand(Array(text.utf8)) == command)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"budget":1}"#, #"{"budget":-1}"#, #"{"post":"x"}"#, #"{"pause":1}"#,
        #"{"select":1}"#,
    ])
    func `Another text is no command`(_ text: String) {
        #expect(LiveCommand(Array(text.utf8)) == nil)
    }
}
