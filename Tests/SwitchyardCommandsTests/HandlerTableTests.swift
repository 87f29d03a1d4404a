// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCommands
@testable import SwitchyardCore
@testable import SwitchyardInspection

/// The rows and findings of `inspect` and `top`.
@Suite("Tables of handlers") struct HandlerTableTests {
    private func row(
        _ context: String, busy: Double, took: Double?, waiting: Int = 5
    ) -> HandlerTable.Row {
        var row = HandlerTable.Row(
            center: "c", context: context, handler: "A.swift:1", hears: "\"Saved\"", busy: busy,
            rate: 1, waited: nil, took: took, waiting: waiting, lost: 0, count: 1)
        var registration = registration(1, "\"Saved\"")
        registration.mailbox = 1
        row.depthsBefore.add(registration)
        registration.depth = UInt32(waiting)
        row.depths.add(registration)
        return row
    }

    /// Calls that each took so long.
    private func calls(
        _ seconds: Double, _ count: Int = 3, isInlineOnMain: Bool = false
    ) -> [DeliveryTimes.Times] {
        var times = DeliveryTimes.Times()
        for _ in 0..<count {
            times.add(took: seconds, waited: nil, end: 0, isInlineOnMain: isInlineOnMain)
        }
        return [times]
    }

    /// One delivery whose handler began at a second, after it had waited.
    private func delivery(
        at second: Double, waits: Double, takes: Double
    ) -> DeliveryTimes.Times {
        var times = DeliveryTimes.Times()
        times.add(took: takes, waited: waits, end: UInt64((second + takes) * 1e9))
        return times
    }

    private func registration(_ id: UInt64, _ topic: String) -> InspectedCenters.Registration {
        InspectedCenters.Registration(
            id: id, sequence: id, topic: topic, object: "any object", context: "main",
            file: "A.swift", line: 1, priority: 0, flags: [], delivered: 0, lost: 0, depth: 0)
    }

    private func centers(_ registrations: [InspectedCenters.Registration]) -> InspectedCenters {
        InspectedCenters([
            .init(number: 1, name: "c", expired: 0, registrations: registrations, findings: [])
        ])
    }

    @Test(arguments: [
        (3.2e-9, "3.2 ns"), (9.6e-9, "10 ns"), (9.6e-7, "1.0 µs"), (0.0123, "12 ms"),
        (0.96, "1.0 s"), (75, "75 s"),
    ])
    func `A time has a unit and two digits`(_ seconds: Double, _ text: String) {
        #expect(HandlerTable.time(seconds) == text)
    }

    @Test func `The largest numbers of losses are added up without a trap`() {
        var row = row("main", busy: 0, took: nil)
        row.lost = .max
        row.add(row)
        #expect(row.count == 2)
    }

    /// The row of some registrations of one line: the mailbox of each, and what waits there.
    private func row(
        waiting registrations: (mailbox: UInt64, depth: UInt32)...
    ) -> HandlerTable.Row? {
        let all = registrations.enumerated().map { number, waiting in
            var registration = registration(UInt64(number), "\"Saved\"")
            (registration.mailbox, registration.depth) = (waiting.mailbox, waiting.depth)
            return registration
        }
        return HandlerTable(
            process: 1, name: "p", before: centers([]), after: centers(all), samples: .none,
            times: DeliveryTimes(TraceRecording()), seconds: 1
        ).rows.first
    }

    @Test func `As many deliveries wait for a row as in all mailboxes of its registrations`() {
        // The second was asked a moment later.
        #expect(row(waiting: (7, 3), (7, 5))?.waiting == 5)
        #expect(row(waiting: (7, 5), (7, 3), (8, 2), (9, 1), (8, 2))?.waiting == 8)
        // Each sequence has elements of its own.
        #expect(row(waiting: (0, 3), (0, 5))?.waiting == 8)
    }

    @Test func `A handler that holds up the main thread is a finding, and no other`() {
        let slow = BusyFindings.sentences(
            for: [row("main", busy: 0.2, took: 0.017)], calls(0.017))
        #expect(slow.count == 1)
        #expect(slow.first?.contains("A.swift:1, takes up to 17 ms on the main thread") == true)
        // One call is a finding if it takes so long that the thread was not merely interrupted.
        let once = BusyFindings.sentences(for: [row("main", busy: 0.2, took: 0.4)], calls(0.4, 1))
        #expect(once.count == 1)
        // The time is that of the slow call, not of the slowest in a hundred.
        var mixed = calls(0.000_01, 997)
        mixed[0] += calls(0.05)[0]
        let rare = BusyFindings.sentences(
            for: [row("main", busy: 0.2, took: 0.000_01)], mixed)
        #expect(rare.first?.contains("takes up to 50 ms") == true)
        for (healthy, calls) in [
            (row("main", busy: 0.5, took: 0.015), calls(0.015)),
            (row("main", busy: 0.5, took: 0.04), calls(0.04, 2)),
            (row("main", busy: 0, took: nil), calls(0, 0)),
            (row("thread w", busy: 0.2, took: 2), calls(2)),
            (row("the posting thread", busy: 3, took: 2), calls(2)),
        ] {
            #expect(BusyFindings.sentences(for: [healthy], calls) == [])
        }
    }

    @Test func `A handler on the posting thread is a finding where the main thread posts`() {
        let poster = row("the posting thread", busy: 0.1, took: 0.2)
        #expect(BusyFindings.sentences(for: [poster], calls(0.2)) == [])
        let times = calls(0.2, isInlineOnMain: true)
        let found = BusyFindings.sentences(for: [poster], times)
        #expect(found.count == 1)
        #expect(found.first?.contains("takes up to 200 ms inside posts of the main thread") == true)
        // In a program without windows, main is a thread like others.
        let short = calls(0.05, isInlineOnMain: true)
        #expect(BusyFindings.sentences(for: [poster], short) == [])
    }

    @Test func `A handler for which quick ones on its thread wait is a finding that names both`() {
        var quick = row("thread w", busy: 0, took: 0.001)
        quick.handler = "B.swift:2"
        let slow = row("thread w", busy: 0.2, took: 2)
        // From the second 10 to the second 12.
        let long = delivery(at: 10, waits: 3, takes: 2)
        let found = BusyFindings.sentences(
            for: [slow, quick], [long, delivery(at: 12, waits: 1.5, takes: 0.001)])
        #expect(found.count == 1)
        #expect(found.first?.contains("A.swift:1, takes up to 2.0 s on thread w") == true)
        #expect(found.first?.contains("B.swift:2, up to 1.5 s") == true)
        // Its own deliveries alone wait for a slow one; the waiting one is as slow; or nobody
        // waits.
        for (waits, takes) in [(0.01, 0.001), (1.5, 0.5)] {
            let healthy = BusyFindings.sentences(
                for: [slow, quick], [long, delivery(at: 12, waits: waits, takes: takes)])
            #expect(healthy == [])
        }
        // The threads are two.
        quick.context = "thread v"
        let apart = BusyFindings.sentences(
            for: [slow, quick], [long, delivery(at: 12, waits: 1.5, takes: 0.001)])
        #expect(apart == [])
    }

    @Test func `A delivery waits for a slow handler while that runs, and not before or after it`() {
        var quick = row("thread w", busy: 0, took: 0.001)
        quick.handler = "B.swift:2"
        let slow = row("thread w", busy: 0.2, took: 2)
        let long = delivery(at: 10, waits: 0, takes: 2)
        func found(_ late: DeliveryTimes.Times) -> [String] {
            BusyFindings.sentences(for: [slow, quick], [long, late])
        }
        // The delivery waited for something else: until the call began, or from its end on.
        #expect(found(delivery(at: 10, waits: 5, takes: 0.001)) == [])
        #expect(found(delivery(at: 17, waits: 5, takes: 0.001)) == [])
        // Of a wait of 5 s, half a second was during the call.
        let partly = found(delivery(at: 16.5, waits: 5, takes: 0.001))
        #expect(partly.first?.contains("B.swift:2, up to 500 ms") == true)
        // The slowest is not the one for which it waited.
        var other = row("thread w", busy: 0.1, took: 1)
        other.handler = "C.swift:3"
        let both = BusyFindings.sentences(
            for: [slow, other, quick],
            [
                long, delivery(at: 20, waits: 0, takes: 1),
                delivery(at: 21, waits: 0.9, takes: 0.001),
            ])
        #expect(both.first?.contains("C.swift:3, takes up to 1.0 s on thread w") == true)
    }

    @Test func `A thread whose handlers take all of its time is a finding that names the busiest`()
    {
        var busiest = row("thread w", busy: 0.6, took: 0.001)
        busiest.handler = "B.swift:2"
        let full = BusyFindings.sentences(
            for: [row("thread w", busy: 0.35, took: 0.001), busiest], [])
        #expect(full.count == 1)
        #expect(full.first?.contains("95 % of the time, the one registered at B.swift:2") == true)
        #expect(
            BusyFindings.sentences(
                for: [row("thread v", busy: 0.6, took: 0.001), busiest], []) == [])
        for context in ["dispatch queue q", "operation queue o", "actor A", "executor E"] {
            let one = row(context, busy: 0.95, took: 0.001)
            #expect(BusyFindings.sentences(for: [one], []).count == 1)
            // The handlers run concurrently.
            let several = row(context, busy: 1.9, took: 0.001)
            #expect(BusyFindings.sentences(for: [several], []) == [])
            // Several contexts have one name, and each has time.
            let together = row(context, busy: 0.95, took: 0.001, waiting: 0)
            #expect(BusyFindings.sentences(for: [together], []) == [])
            // As many wait as before: all are made in time.
            var steady = one
            steady.depthsBefore = steady.depths
            #expect(BusyFindings.sentences(for: [steady], []) == [])
            // A bound keeps as many and drops the rest.
            var bounded = steady
            bounded.lost = 2
            let losing = BusyFindings.sentences(for: [bounded], [])
            #expect(losing.first?.hasSuffix("and deliveries are lost") == true)
            // Beside it, a registration of the same mailbox is new, or hears nothing.
            var new = one
            (new.busy, new.rate, new.depthsBefore) = (0, 0, MailboxDepths())
            #expect(BusyFindings.sentences(for: [steady, new], []) == [])
            var (quick, quiet) = (one, one)
            (quick.rate, quiet.busy, quiet.rate) = (1000, 0, 0)
            #expect(BusyFindings.sentences(for: [quick, quiet], []) == [])
        }
    }

    @Test
    func `Where no call's own time is known, the table shows the mean, or that there is more`() {
        var slow = row("main", busy: 0.8, took: nil)
        slow.rate = 20
        #expect(slow.meanTime == 0.04)
        let findings = BusyFindings.sentences(for: [slow], [DeliveryTimes.Times()])
        #expect(findings.first?.contains("takes about 40 ms on the main thread") == true)
        var missed = slow
        missed.busy = 0
        #expect(missed.hasUnknownTimes && missed.meanTime == nil)
        // Of two calls, most of the time may lie outside the look.
        var few = slow
        few.rate = 2
        #expect(few.meanTime == nil)
        var idle = missed
        idle.rate = 0
        #expect(!idle.hasUnknownTimes)
        let known = row("main", busy: 0.8, took: 0.04)
        #expect(!known.hasUnknownTimes && known.meanTime == nil)
        let table = HandlerTable(
            process: 1, name: "p", before: centers([]),
            after: centers([delivered(1, 0), delivered(2, 20)]),
            samples: HandlerSamples(
                looks: 10, threads: [.init(number: 1, name: "a", looks: [2: 8])]),
            times: DeliveryTimes(TraceRecording()), seconds: 1)
        let lines = table.text().split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.contains("80 %") && $0.contains("~40 ms      ?") }, "\(lines)")
        #expect(lines.contains { $0.contains("-         -       -      -") }, "\(lines)")
    }

    /// A registration that has had so many deliveries.
    private func delivered(_ id: UInt64, _ count: UInt64) -> InspectedCenters.Registration {
        var registration = registration(id, "\"\(id)\"")
        registration.delivered = count
        return registration
    }

    @Test(arguments: ["actor Session", "executor E", "dispatch queue q", "thread w"])
    func `Contexts that may be several under one label are not taken for a full one`(
        _ label: String
    ) {
        // Ten registrations of one line, on one context or on ten.
        var row = row(label, busy: 0.93, took: 0.001)
        row.count = 10
        #expect(BusyFindings.sentences(for: [row], []) == [])
        (row.busy, row.count) = (0.1, 2)
        var quick = row
        quick.handler = "B.swift:2"
        let all = [
            delivery(at: 10, waits: 0.001, takes: 2), delivery(at: 12, waits: 1.5, takes: 0.001),
        ]
        #expect(BusyFindings.sentences(for: [row, quick], all) == [])
        row.context = "main"
        row.busy = 0.93
        #expect(BusyFindings.sentences(for: [row], []).count == 1)
    }

    @Test func `A long name of which a trace has the beginning is found among those observed`() {
        let long = String(repeating: "n", count: 300)
        for topic in ["\"\(long)\"", "module.\(long)", "names like \"a.>\""] {
            let name = topic.hasPrefix("names") ? "\"a.\(long)\"" : topic
            let observed = centers([registration(1, topic)])
            let cut = String(name.prefix(TraceTopics.longestText))
            let found = Explanation.findings(ofUnheard: [cut: 3], in: observed)
            #expect(found.first?.hasPrefix("3 posts of ") == true)
        }
        let other = centers([registration(1, "\"x\(long)\"")])
        let cut = String("\"\(long)\"".prefix(TraceTopics.longestText))
        let found = Explanation.findings(ofUnheard: [cut: 3], in: other)
        #expect(found.first?.hasPrefix("nobody hears ") == true)
    }

    @Test func `The times of a registration that has ended are not those of the next at its place`()
    {
        var recording = TraceRecording()
        let call = TraceEvent(.called, ticks: 100, post: 1, subject: 1, detail: 1)
        recording.add(
            TraceBatch(
                clock: .init(ticks: 200, nanoseconds: 200), interval: 1, topics: [], sites: [],
                threads: [.init(ring: 1, number: 1, name: "", overwritten: 0, events: [call])]))
        let old = registration(1, "\"Saved\"")
        var new = old
        new.sequence = 9
        let samples = HandlerSamples(
            looks: 10, threads: [.init(number: 1, name: "a", looks: [1: 10])])
        func row(before: InspectedCenters) -> HandlerTable.Row? {
            HandlerTable(
                process: 1, name: "p", before: before, after: centers([new]), samples: samples,
                times: DeliveryTimes(recording), seconds: 1
            ).rows.first
        }
        #expect(row(before: centers([new]))?.took != nil)
        #expect(row(before: centers([new]))?.busy == 1)
        #expect(row(before: centers([old]))?.took == nil)
        #expect(row(before: centers([old]))?.busy == 0)
    }

    @Test func `Of a hundred times, 99 do not exceed the last but one`() {
        func slowest(_ count: Int) -> Double? {
            DeliveryTimes.Times.slowest(of: (1...count).map(Double.init))
        }
        #expect(DeliveryTimes.Times.slowest(of: []) == nil)
        #expect([1, 2, 99, 100, 101, 200, 201].map(slowest) == [1, 2, 99, 99, 100, 198, 199])
    }

    @Test func `The object of an explanation is a text, and no number of that text`() {
        var all = [registration(1, "\"a\""), registration(2, "\"a\"")]
        (all[0].object, all[1].object) = ("object 5", "object 5")
        all[0].flags = .objectIsString
        let explanation = Explanation(of: "a", object: "5", in: centers(all))
        #expect(explanation.entries.map(\.hears) == [true, false])
        #expect(
            explanation.entries.last?.reason == "it observes object 5 alone, which is no string")
        let other = Explanation(of: "a", object: "6", in: centers(all))
        #expect(
            other.entries.map(\.reason) == Array(repeating: "it observes object 5 alone", count: 2))
    }

    @Test func `A name that nobody hears is a finding with the nearest name that is observed`() {
        let observed = centers([registration(1, "\"SettingsChanged\"")])
        #expect(
            Explanation.findings(
                ofUnheard: ["\"SettingChanged\"": 7, "app.Message": 9], in: observed) == [
                    "nobody hears app.Message, which was posted 9 times",
                    "nobody hears \"SettingChanged\", which was posted 7 times; the nearest name that "
                        + "is observed is \"SettingsChanged\"",
                ])
        // Observed about another object, say.
        let unheard = Explanation.findings(ofUnheard: ["\"SettingsChanged\"": 3], in: observed)
        #expect(unheard.first?.hasPrefix("3 posts of \"SettingsChanged\" reached nobody: ") == true)
    }

    @Test func `Times are the slowest of a hundred, of all registrations of a row`() {
        var recording = TraceRecording()
        // A tick is a nanosecond.
        let unit = TraceClock.ticksOfDetail
        let posts = (1...4).flatMap { number -> [TraceEvent] in
            let post = UInt64(number)
            return [
                TraceEvent(.posted, ticks: post * 1000, post: post, subject: 7, weight: 1),
                TraceEvent(.queued, ticks: post * 1000, post: post, subject: 1),
                TraceEvent(
                    .called, ticks: post * 1000 + 160, post: post, subject: 2,
                    detail: UInt32(160 / unit)),
            ]
        }
        let deliveries = (1...4).map { number in
            TraceEvent(
                .delivered, ticks: 10_000 + UInt64(number) * 1000, post: UInt64(number), subject: 1,
                detail: UInt32(UInt64(number) * 320 / unit))
        }
        func thread(_ number: Int32, _ events: [TraceEvent]) -> TraceBatch.Thread {
            .init(
                ring: UInt64(number), number: number, name: "", overwritten: 0, events: events)
        }
        for (time, threads) in [
            (UInt64(0), []), (20_000, [thread(1, posts), thread(2, deliveries)]),
        ] {
            recording.add(
                TraceBatch(
                    clock: .init(ticks: time, nanoseconds: time), interval: 1,
                    topics: [.init(id: 7, text: "t")], sites: [], threads: threads))
        }
        let registrations = centers([registration(1, "\"Saved\""), registration(2, "\"Saved\"")])
        let table = HandlerTable(
            process: 1, name: "p", before: registrations, after: registrations, samples: .none,
            times: DeliveryTimes(recording), seconds: 1)
        #expect(table.rows.count == 1)
        #expect(table.rows[0].count == 2)
        let took = table.rows[0].took ?? 0
        let waited = table.rows[0].waited ?? 0
        #expect(abs(took - 1280e-9) < 1e-12)
        #expect(abs(waited - (10_000 - 320) * 1e-9) < 1e-12)
    }

    @Test func `A finding that several registrations share is said once, with their number`() {
        #expect(HandlerTable.counted(["a", "b", "a", "a"]) == ["a (3 times)", "b"])
    }

    @Test func `A message type is explained with its module or without it`() {
        let observed = centers([registration(1, "app.Saved"), registration(2, "app.NotSaved")])
        for name in ["app.Saved", "Saved"] {
            let explanation = Explanation(of: name, object: nil, in: observed)
            #expect(explanation.entries.count == 1)
            #expect(explanation.isHeard)
        }
    }

    @Test func `Observers of all names are no hearers of a message type`() {
        let observed = centers([
            registration(1, "app.Saved"), registration(2, "any name"),
            registration(3, "names like \"app.*\""),
        ])
        for name in ["app.Saved", "Saved"] {
            #expect(Explanation(of: name, object: nil, in: observed).entries.count == 1)
        }
        #expect(Explanation(of: "app.Opened", object: nil, in: observed).entries.count == 2)
    }

    @Test func `Observers of patterns are explained, and those that can't be called`() {
        var all = [
            registration(1, "names like \"folio.*\""), registration(2, "names like \"folio.*.*\""),
            registration(3, "\"folio.Saved\""), registration(4, "\"folio.Saved\""),
            registration(5, "\"folio.Saved\""),
        ]
        all[3].flags = .contextHasEnded
        all[4].flags = .observerIsGone
        let explanation = Explanation(of: "folio.Saved", object: nil, in: centers(all))
        #expect(explanation.entries.map(\.hears) == [true, true, false, false])
        #expect(explanation.text.contains("has ended") && explanation.text.contains("has died"))
        let unheard = Explanation.findings(ofUnheard: ["\"folio.New\"": 1], in: centers(all))
        #expect(unheard.first?.hasPrefix("1 post of") == true)
    }

    @Test func `An explanation says what an observer does not hear, or keeps from others`() {
        var all = [registration(1, "\"a\""), registration(2, "\"a\""), registration(3, "\"a\"")]
        all[0].filtered = 5
        all[1].consumed = 3
        all[1].flags = .paused
        all[2].group = "g"
        let explanation = Explanation(of: "a", object: nil, in: centers(all))
        #expect(
            explanation.entries.map(\.note) == [
                "its condition has turned away 5 posts",
                "it is paused, and hears them later; it has consumed 3 posts, which those behind it did not hear",
                "one of the group \"g\" hears each",
            ])
        #expect(explanation.text.contains("c: its condition has turned away 5 posts\n"))
    }

    @Test func `Looks that are made in parts are added up`() {
        var sum = HandlerSamples(looks: 2, threads: [.init(number: 1, name: "a", looks: [5: 1])])
        sum += HandlerSamples(
            looks: 3,
            threads: [
                .init(number: 1, name: "a", looks: [5: 2, 6: 1]),
                .init(number: 2, name: "b", looks: [5: 3]),
            ])
        #expect(sum.looks == 5)
        #expect(sum.threads.map(\.looks) == [[5: 3, 6: 1], [5: 3]])
    }

    @Test func `A table is sorted by a column, and rows alike in it by how busy they are`() {
        func row(
            _ handler: String, busy: Double, waited: Double?, lost: UInt64
        )
            -> HandlerTable.Row
        {
            HandlerTable.Row(
                center: "c", context: "main", handler: handler, hears: "\"Saved\"", busy: busy,
                rate: 1 - busy, waited: waited, took: nil, waiting: 0, lost: lost, count: 1)
        }
        var table = HandlerTable(
            process: 1, name: "p", before: centers([]), after: centers([]), samples: .none,
            times: DeliveryTimes(TraceRecording()), seconds: 1)
        table.rows = [
            row("a", busy: 0.9, waited: nil, lost: 0), row("b", busy: 0.5, waited: 0.1, lost: 7),
            row("c", busy: 0.1, waited: 0.3, lost: 0),
        ]
        let orders: [RowOrder: String] = [
            .busy: "abc", .rate: "cba", .takes: "abc", .waits: "cba", .waiting: "abc", .lost: "bac",
        ]
        for order in RowOrder.allCases {
            #expect(table.sorted(by: order).rows.map(\.handler).joined() == orders[order])
        }
        #expect(Set(RowOrder.allCases.map(\.key)).count == RowOrder.allCases.count)
    }

    // MARK: - Growth

    /// The findings after looks that saw the registrations with these ids.
    private func growth(_ looks: Set<UInt64>...) -> [String] {
        var watch = GrowthWatch(every: .zero)
        for look in looks { watch.look(at: centers(look.map { registration($0, "\"Saved\"") })) }
        return watch.sentences
    }

    @Test func `Registrations that become more from look to look are a finding, if none ends`() {
        let grown = growth([9], [1], [1, 2, 3], [1, 2, 3, 4])
        #expect(grown.count == 1)
        #expect(
            grown[0].contains("at A.swift:1 for \"Saved\" grow: there were 1, then 3, then 4"))
        #expect(growth([1], [1, 2]) == [])
        #expect(growth([1], [1, 2], [1, 2]) == [])
        // One registration has ended, as with a server's connections.
        #expect(growth([1], [1, 2], [2, 3, 4]) == [])
        // The program has just begun.
        #expect(growth([], [1], [1, 2]) == [])
        // Looks that follow each other too soon are passed over.
        var slow = GrowthWatch(every: .seconds(2))
        let start = ContinuousClock.now
        for (seconds, last) in zip([0, 1, 2, 3, 4], [1, 1, 2, 2, 3] as [UInt64]) {
            slow.look(
                at: centers((1...last).map { registration($0, "\"Saved\"") }),
                start + .seconds(seconds))
        }
        #expect(slow.sentences.count == 1)
        // Only later looks count.
        #expect(growth([1], [1, 2], [1, 2, 3], [1, 2, 3]) == [])
    }
}
