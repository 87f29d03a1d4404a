// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardWire
import TestSupport
import Testing

import class Switchyard.NotificationCenter

@testable import SwitchyardCore
@testable import SwitchyardInspection

/// Recordings, slices and files that are made of trace events.
@Suite("Recordings of traces") struct TraceRecordingTests {
    /// A time of so many ticks, as a detail.
    private func detail(_ ticks: UInt64) -> UInt32 { UInt32(ticks / TraceClock.ticksOfDetail) }

    private func batch(
        _ ticks: UInt64, _ nanoseconds: UInt64, _ threads: [TraceBatch.Thread] = [],
        topics: [TraceBatch.Topic] = [], sites: [TraceBatch.Site] = []
    ) -> TraceBatch {
        TraceBatch(
            clock: .init(ticks: ticks, nanoseconds: nanoseconds), interval: 1, topics: topics,
            sites: sites,
            threads: threads)
    }

    @Test func `A batch is read as it was written`() throws {
        let batch = TraceBatch(
            clock: .init(ticks: 3000, nanoseconds: 1000), interval: 4,
            topics: [.init(id: 7, text: "\"n\"")],
            sites: [
                .init(number: 1, frames: [.init(module: "/a", offset: 0x1234)]),
                .init(number: 2, frames: []),
            ],
            threads: [
                .init(
                    ring: 2, number: 99, name: "main", overwritten: 3,
                    events: TraceEvent.Kind.allCases.map {
                        TraceEvent(
                            $0, ticks: 5, post: 6, subject: 7, detail: 8, weight: 9)
                    })
            ])
        let bytes = written { batch.write(to: &$0) }
        let read = try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let batch = try TraceBatch(&reader)
            try reader.expectEnd()
            return batch
        }
        #expect(read == batch)
    }

    @Test func `Events of a kind that a later version has are passed over`() throws {
        var words = TraceEvent(.called, ticks: 1, post: 1).words
        #expect(TraceEvent(words: words) != nil)
        words[3] = 200
        #expect(TraceEvent(words: words) == nil)
    }

    @Test func `Ticks become times by the first and the last reading of both clocks`() {
        var recording = TraceRecording()
        recording.add(batch(1000, 500_000))
        recording.add(batch(4000, 501_000))
        #expect(recording.clock.time(4000) == 501_000)
        #expect(recording.clock.time(1000) == 500_000)
        #expect(recording.clock.time(2500) == 500_500)
        // Times before the first reading, and after the last.
        #expect(recording.clock.time(700) == 499_900)
        #expect(recording.clock.time(4300) == 501_100)
        #expect(recording.clock.span(30) == 10)
    }

    @Test func `A machine that is suspended makes no times longer but that of the suspension`() {
        // The counter ticks three times a nanosecond, and not while the machine is suspended for a
        // minute: between the third reading and the fourth.
        let minute: UInt64 = 60_000_000_000
        for suspended in [1, 3] {
            var recording = TraceRecording()
            var nanoseconds: UInt64 = 1000
            for number in 0..<6 {
                recording.add(batch(UInt64(number) * 150_000_000, nanoseconds))
                nanoseconds += 50_000_000 + (number + 1 == suspended ? minute : 0)
            }
            let clock = recording.clock
            #expect(abs(clock.span(3000) - 1000) < 1e-6)
            #expect(isNear(clock.time(750_000_000), 1000 + 250_000_000 + minute))
            if suspended == 3 {
                #expect(isNear(clock.time(150_000_000), 1000 + 50_000_000))
                // After the reading before the suspension, it may have been before or after it.
                #expect(isNear(clock.time(330_000_000), 1000 + 110_000_000))
                #expect(isNear(clock.time(600_000_000), 1000 + 200_000_000 + minute))
            }
        }
    }

    /// Whether two times are one, but for rounding.
    private func isNear(_ one: UInt64, _ other: UInt64) -> Bool {
        abs(Double(one) - Double(other)) <= 1
    }

    @Test func `A tool that asks for nothing for a while takes that for no suspension`() {
        var recording = TraceRecording()
        for (ticks, nanoseconds): (UInt64, UInt64) in [
            (0, 1000), (150_000_000, 50_001_000), (30_150_000_000, 10_050_001_000),
        ] {
            recording.add(batch(ticks, nanoseconds))
        }
        #expect(isNear(recording.clock.time(15_150_000_000), 5_050_001_000))
    }

    @Test func `Impossible numbers do not stop the program`() {
        var recording = TraceRecording()
        let event = TraceEvent(.posted, ticks: .max, post: 1)
        let thread = TraceBatch.Thread(
            ring: 1, number: -1, name: "", overwritten: .max, events: [event])
        recording.add(batch(0, .max, [thread]))
        recording.add(batch(.max, 0, [thread]))
        recording.keepLast(.max)
        #expect(recording.clock.time(.max) == 0)
        #expect(recording.clock.time(0) <= 9_000_000_000_000_000_000)
        let trace = PerfettoTrace([
            RecordedProcess(recording, number: -1, name: "", observers: ObserverNames(), sites: [:])
        ])
        #expect(!trace.bytes().isEmpty)
        #expect(DeliveryTimes(recording).times.isEmpty)
    }

    @Test func `Readings of clocks that go different ways make no time negative`() {
        for (ticks, nanoseconds): (UInt64, UInt64) in [(.max, 0), (0, 5), (5, 5), (.max, .max)] {
            var recording = TraceRecording()
            recording.add(batch(5, 6))
            recording.add(batch(ticks, nanoseconds))
            #expect(recording.clock.span(30) >= 0)
            #expect(recording.clock.span(30).isFinite)
        }
    }

    @Test func `A file names the topic and the call site of a post that was coalesced`() {
        let event = TraceEvent(
            .coalesced, ticks: 5, post: 1, subject: 7, detail: 3, weight: 1)
        let thread = TraceBatch.Thread(
            ring: 1, number: 1, name: "", overwritten: 0, events: [event])
        var recording = TraceRecording()
        let sites = [2, 3].map { TraceBatch.Site(number: $0, frames: []) }
        recording.add(
            batch(0, 0, [thread], topics: [.init(id: 7, text: "\"n\"")], sites: sites))
        let slices = TraceSlices([event])
        #expect(slices.slices.isEmpty)
        #expect(Array(recording.usedSites.keys) == [3])
        let process = RecordedProcess(
            recording, number: 1, name: "", observers: ObserverNames(), sites: [3: "A.swift:9"])
        #expect(
            slices.moments.map(process.name(of:)) == [
                "coalesced in a queue: \"n\", posted at A.swift:9"
            ])
    }

    /// The registrations of a center: the id, the rank and the line of each.
    private func centers(_ all: (id: UInt64, sequence: UInt64, line: UInt32)...) -> InspectedCenters
    {
        let registrations = all.map {
            InspectedCenters.Registration(
                id: $0.id, sequence: $0.sequence, topic: "\"n\"", object: "any object",
                context: "main", file: "A.swift", line: $0.line, priority: 0, flags: [],
                delivered: 0, lost: 0, depth: 0)
        }
        return InspectedCenters([
            .init(number: 1, name: "c", expired: 0, registrations: registrations, findings: [])
        ])
    }

    @Test func `An event has the name of the observation that had its id at that time`() {
        var names = ObserverNames()
        names.learn(centers((7, 1, 10), (8, 2, 20)), asked: 100, answered: 110)
        names.learn(centers((7, 1, 10), (8, 2, 20)), asked: 200, answered: 210)
        names.learn(centers((7, 3, 30), (8, 2, 20)), asked: 300, answered: 310)
        func lines(_ id: UInt64, at times: UInt64...) -> [String?] {
            times.map { names.observer(id, at: $0)?.origin }
        }
        #expect(lines(7, at: 50, 150, 200) == ["A.swift:10", "A.swift:10", "A.swift:10"])
        // The first may have ended already, or not yet.
        #expect(lines(7, at: 201, 309) == [nil, nil])
        #expect(lines(7, at: 310, 999) == ["A.swift:30", "A.swift:30"])
        #expect(lines(8, at: 50, 205, 999) == ["A.swift:20", "A.swift:20", "A.swift:20"])
        #expect(lines(9, at: 205) == [nil])
        names.forget(before: 309)
        #expect(lines(7, at: 150) == ["A.swift:10"])
        names.forget(before: 310)
        #expect(lines(7, at: 150) == ["A.swift:30"])
    }

    @Test func `A file names an ended observation and the one that got its id`() {
        var recording = TraceRecording()
        let calls = [150, 250, 350].map {
            TraceEvent(.called, ticks: $0, post: $0, subject: 7, detail: 1)
        }
        recording.add(batch(100, 100))
        recording.add(
            batch(400, 400, [.init(ring: 1, number: 1, name: "", overwritten: 0, events: calls)]))
        var names = ObserverNames()
        names.learn(centers((7, 1, 10)), asked: 200, answered: 210)
        names.learn(centers((7, 3, 30)), asked: 300, answered: 310)
        let process = RecordedProcess(
            recording, number: 1, name: "", observers: names, sites: [:])
        #expect(
            TraceSlices(calls).slices.map(process.name(of:)) == [
                "A.swift:10", "an ended observation", "A.swift:30",
            ])
    }

    @Test func `A file tells observations apart that had one id in turn, by their registrations`() {
        func call(_ ticks: UInt64) -> TraceEvent {
            TraceEvent(.called, ticks: ticks, post: ticks, subject: 7, detail: 0)
        }
        func registered(_ rank: UInt32, _ ticks: UInt64) -> TraceEvent {
            TraceEvent(.registered, ticks: ticks, post: 1, subject: 7, detail: rank)
        }
        // Of four observations, names were learned of the first and the last.
        let calls = [call(150), call(230), call(250), call(270), call(350)]
        let other = [registered(4, 260), registered(2, 220), registered(3, 240)]
        var recording = TraceRecording()
        recording.add(batch(100, 100))
        recording.add(
            batch(
                400, 400,
                [(1, calls), (2, other)].map {
                    .init(ring: $0, number: Int32($0), name: "", overwritten: 0, events: $1)
                }))
        var names = ObserverNames()
        names.learn(centers((7, 1, 10)), asked: 100, answered: 110)
        names.learn(centers((7, 4, 40)), asked: 300, answered: 310)
        func shown() -> [String] {
            let process = RecordedProcess(
                recording, number: 1, name: "", observers: names, sites: [:])
            return TraceSlices(recording.threads[0].events).slices.map(process.name(of:))
        }
        let ended = "an ended observation"
        #expect(shown() == ["A.swift:10", ended, ended, "A.swift:40", "A.swift:40"])
        // Registrations are no work of a thread.
        #expect(recording.threads.map(\.number) == [1])
        #expect(recording.reusedIDs == [7])
        // The last registration before the part that is kept is still known.
        recording.keepLast(145)
        #expect(shown() == ["A.swift:40", "A.swift:40"])
        #expect(recording.reusedIDs == [])
    }

    @Test func `The names of one moment are not those of observations that came later`() {
        let calls = [150, 250].map { TraceEvent(.called, ticks: $0, post: $0, subject: 7) }
        let registered = TraceEvent(.registered, ticks: 200, post: 1, subject: 7, detail: 3)
        var recording = TraceRecording()
        recording.add(batch(100, 100))
        recording.add(
            batch(
                400, 400,
                [
                    .init(
                        ring: 1, number: 1, name: "", overwritten: 0,
                        events: [calls[0], registered, calls[1]])
                ]))
        // As a flight recorder has them: those of the end.
        let process = RecordedProcess(
            recording, number: 1, name: "", observers: ObserverNames(centers((7, 3, 30))),
            sites: [:])
        #expect(
            TraceSlices(calls).slices.map(process.name(of:)) == [
                "an ended observation", "A.swift:30",
            ])
    }

    @Test func `The deliveries that wait for a context are counted over time`() {
        func event(
            _ kind: TraceEvent.Kind, _ ticks: UInt64, _ post: UInt64, _ subject: UInt64 = 5,
            detail: UInt32 = 0, weight: UInt16 = 0
        ) -> TraceEvent {
            TraceEvent(
                kind, ticks: ticks, post: post, subject: subject, detail: detail, weight: weight)
        }
        let poster = [
            event(.posted, 100, 1, 7, weight: 2), event(.queued, 100, 1),
            event(.posted, 200, 2, 7, weight: 1), event(.queued, 200, 2), event(.queued, 200, 2, 6),
            // Traced for another process alone, and to an observation that nobody knows.
            event(.posted, 250, 3, 7), event(.queued, 250, 3), event(.queued, 250, 2, 9),
        ]
        let drain = [
            event(.delivered, 400, 1, detail: detail(128)), event(.cancelled, 500, 2),
            // Came into the mailbox before the recording.
            event(.delivered, 600, 4),
        ]
        var recording = TraceRecording()
        recording.add(
            batch(
                1000, 1000,
                [(1, drain), (2, poster)].map {
                    .init(ring: $0, number: Int32($0), name: "", overwritten: 0, events: $1)
                }))
        let counts = WaitingCounts(recording) { id, _ in [5: "main", 6: "worker"][id] }
        #expect(counts.changes.map(\.context) == ["main", "worker"])
        let begin = 400 - UInt64(detail(128)) * TraceClock.ticksOfDetail
        #expect(
            counts.changes.first?.changes == [
                .init(time: 100, count: 2), .init(time: 200, count: 3),
                .init(time: begin, count: 1), .init(time: 500, count: 0),
            ])
        #expect(counts.changes.last?.changes == [.init(time: 200, count: 1)])
    }

    @Test func `A post that nobody heard has the name that its topic got in an earlier recording`()
    {
        var recording = TraceRecording()
        recording.add(
            batch(
                1, 1,
                [
                    .init(
                        ring: 1, number: 1, name: "", overwritten: 0,
                        events: [
                            TraceEvent(.posted, ticks: 1, post: 1, subject: 7, weight: 3),
                            TraceEvent(.unheard, ticks: 1, post: 1),
                        ])
                ]))
        #expect(DeliveryTimes(recording).unheard.isEmpty)
        #expect(DeliveryTimes(recording, names: [7: "t"]).unheard == ["t": 3])
        var asked = TraceRecording()
        let events = [
            TraceEvent(.posted, ticks: 1, post: 1, subject: 7, weight: 0),
            TraceEvent(.unheard, ticks: 1, post: 1),
        ]
        asked.add(
            batch(1, 1, [.init(ring: 1, number: 1, name: "", overwritten: 0, events: events)]))
        #expect(DeliveryTimes(asked, names: [7: "t"]).unheard.isEmpty)
    }

    @Test func `A program that is missing, fails or gives no answer has no output`() {
        #expect(ChildProgram.output(of: ["cat"], input: Data("x".utf8)) == Data("x".utf8))
        #expect(ChildProgram.output(of: ["no-such-program-anywhere"], input: Data()) == nil)
        #expect(ChildProgram.output(of: ["false"], input: Data(count: 200_000)) == nil)
        #expect(ChildProgram.output(of: ["true"], input: Data(count: 200_000)) == Data())
    }

    @Test func `A ring that another thread takes over is told apart from the one before`() {
        var recording = TraceRecording()
        let event = TraceEvent(.posted, ticks: 1, post: 1)
        recording.add(
            batch(
                1, 1,
                [
                    .init(
                        ring: 1, number: 20, name: "b", overwritten: 0,
                        events: [
                            TraceEvent(.thread, ticks: 1, post: 0, subject: 10), event, event,
                            TraceEvent(.thread, ticks: 1, post: 0, subject: 20), event,
                        ])
                ]))
        recording.add(
            batch(2, 2, [.init(ring: 1, number: 20, name: "b", overwritten: 5, events: [event])]))
        #expect(recording.threads.map(\.number) == [10, 20])
        #expect(recording.threads.map(\.events.count) == [2, 2])
        #expect(recording.threads.map(\.name) == ["", "b"])
        #expect(recording.overwritten == 5)
        #expect(recording.posts == 4)
    }

    @Test func `A recording keeps only its end where that was asked for`() {
        var recording = TraceRecording()
        let events = (0..<10).map { TraceEvent(.posted, ticks: UInt64($0) * 100, post: 1) }
        recording.add(batch(0, 0))
        recording.add(
            batch(
                1000, 1000, [.init(ring: 1, number: 1, name: "", overwritten: 0, events: events)]))
        recording.keepLast(300)
        #expect(recording.threads[0].events.map(\.ticks) == [700, 800, 900])
    }

    @Test
    func `The post and the queueing of a delivery that still waits are kept for longer`() {
        var recording = TraceRecording()
        func way(_ kind: TraceEvent.Kind, _ ticks: UInt64, _ post: UInt64) -> TraceEvent {
            TraceEvent(kind, ticks: ticks, post: post, subject: 7)
        }
        recording.add(batch(0, 0))
        recording.add(
            batch(
                1000, 1000,
                [
                    .init(
                        ring: 1, number: 1, name: "", overwritten: 0,
                        events: [
                            // Post 1 is too old in any case, post 2 still waits, and post 3 was
                            // done before the part that is kept.
                            way(.posted, 50, 1), way(.queued, 60, 1), way(.posted, 200, 2),
                            way(.queued, 210, 2), way(.posted, 300, 3), way(.queued, 310, 3),
                            way(.posted, 400, 4), way(.posted, 800, 5),
                        ]),
                    .init(
                        ring: 2, number: 2, name: "", overwritten: 0,
                        events: [way(.delivered, 500, 3), way(.delivered, 900, 2)]),
                ]))
        recording.keepLast(300, waiting: 900)
        #expect(recording.threads[0].events.map(\.ticks) == [200, 210, 800])
        #expect(recording.threads[1].events.map(\.ticks) == [900])
        #expect(recording.keptSince == 700)
    }

    @Test func `Threads that have ended are forgotten with their last event`() {
        var recording = TraceRecording()
        recording.add(batch(0, 0))
        recording.add(
            batch(
                1000, 1000,
                [
                    .init(
                        ring: 1, number: 20, name: "b", overwritten: 0,
                        events: [
                            TraceEvent(.thread, ticks: 1, post: 0, subject: 10),
                            TraceEvent(.posted, ticks: 1, post: 1),
                            TraceEvent(.thread, ticks: 2, post: 0, subject: 20),
                            TraceEvent(.posted, ticks: 2, post: 1),
                        ])
                ]))
        recording.keepLast(100)
        #expect(recording.threads.map(\.number) == [20])
        recording.add(
            batch(
                1100, 1100,
                [
                    .init(
                        ring: 1, number: 20, name: "b", overwritten: 0,
                        events: [TraceEvent(.posted, ticks: 1050, post: 2)])
                ]))
        #expect(recording.threads.map(\.number) == [20])
        #expect(recording.threads[0].events.map(\.post) == [2])
    }

    @Test func `Handlers lie inside the post that called them, and posts inside a handler in it`() {
        let slices = TraceSlices([
            TraceEvent(.posted, ticks: 1000, post: 1, subject: 70),
            TraceEvent(.posted, ticks: 1160, post: 2, subject: 71),
            TraceEvent(.within, ticks: 1160, post: 2, subject: 1),
            // The duration is rounded up, so the call would begin before its post.
            TraceEvent(.called, ticks: 1200, post: 2, subject: 8, detail: detail(64)),
            TraceEvent(.called, ticks: 1320, post: 1, subject: 9, detail: detail(320)),
            TraceEvent(.queued, ticks: 1340, post: 1, subject: 5),
            TraceEvent(.dropped, ticks: 1350, post: 1, subject: 6),
        ])
        let spans = slices.slices.map { [$0.post, $0.begin, $0.end] }
        #expect(
            spans == [[1, 1000, 1350], [1, 1000, 1320], [2, 1160, 1200], [2, 1160, 1200]])
        #expect(slices.slices[0].queued == [5])
        #expect(slices.moments.map(\.kind) == [.dropped])
        let marks = TraceMark.inOrder(slices)
        var depth = 0
        var times: [UInt64] = []
        for mark in marks {
            switch mark.kind {
            case .begin: depth += 1
            case .end: depth -= 1
            case .moment: continue
            }
            #expect(depth >= 0)
            times.append(mark.time)
        }
        #expect(depth == 0)
        #expect(times == times.sorted())
        #expect(times.count == 8)
    }

    @Test func `Calls of async handlers keep their whole time, beside the work of the thread`() {
        func call(_ post: UInt64, _ begin: UInt64, _ end: UInt64) -> TraceEvent {
            TraceEvent(
                .delivered, ticks: end, post: post, subject: 5, detail: detail(end - begin),
                weight: 1)
        }
        let slices = TraceSlices([
            call(1, 1000, 5000), TraceEvent(.posted, ticks: 5010, post: 9),
            TraceEvent(.called, ticks: 5090, post: 9, subject: 8, detail: detail(64)),
            call(2, 3000, 7000), call(3, 5160, 8008),
        ])
        #expect(slices.slices.map(\.post) == [9, 9])
        #expect(
            slices.asyncCalls.map { [$0.begin, $0.end] } == [
                [1000, 5000], [3000, 7000], [5160, 8008],
            ])
        #expect(TraceSlices.lanes(slices.asyncCalls).map { $0.map(\.post) } == [[1, 3], [2]])
        // Calls of no length take no lane, and the first to end leaves its lane first.
        let others = TraceSlices([
            call(1, 100, 100), call(2, 100, 100), call(3, 100, 900), call(4, 100, 500),
            call(5, 500, 700), call(6, 600, 700),
        ])
        let lanes = TraceSlices.lanes(others.asyncCalls).map { $0.map(\.post) }
        #expect(lanes == [[1, 2, 4, 5], [3], [6]])
        #expect(slices.asyncCalls.map(\.cameThroughMailbox) == [true, true, true])
    }

    @Test func `A delivery that comes to nothing later does not make its post longer`() {
        for kind in [TraceEvent.Kind.replaced, .cancelled, .expired, .undeliverable] {
            let slices = TraceSlices([
                TraceEvent(.posted, ticks: 1000, post: 1),
                TraceEvent(.queued, ticks: 1010, post: 1, subject: 5),
                TraceEvent(kind, ticks: 9000, post: 1, subject: 5),
            ])
            #expect(slices.slices.map(\.end) == [1010])
            #expect(slices.moments.map(\.time) == [9000])
        }
    }

    @Test func `An arrow leads from a post to its handler elsewhere, if both were recorded`() {
        let poster = TraceSlices([
            TraceEvent(.posted, ticks: 10, post: 1),
            TraceEvent(.queued, ticks: 11, post: 1, subject: 5),
            TraceEvent(.queued, ticks: 12, post: 1, subject: 6),
        ])
        let hearer = TraceSlices([
            TraceEvent(.delivered, ticks: 50, post: 1, subject: 5, detail: 1),
            TraceEvent(.delivered, ticks: 60, post: 9, subject: 5, detail: 1),
        ])
        let arrows = TraceArrows([(7, poster.slices + hearer.slices)])
        #expect(arrows.beginning(in: poster.slices[0], of: 7) == [1])
        #expect(hearer.slices.map { arrows.ending(in: $0, of: 7) } == [1, nil])
        #expect(hearer.slices.map { arrows.ending(in: $0, of: 8) } == [nil, nil])
    }

    @Test func `An arrow leads from a post to the same post in each process that was recorded`() {
        func way(_ connection: UInt32, to process: Int32) -> TracePassage {
            TracePassage(connection: connection, process: process, sequence: 1 << 32 + 5)
        }
        func event(_ kind: TraceEvent.Kind, _ way: TracePassage) -> TraceEvent {
            TraceEvent(kind, ticks: 11, post: 1, subject: way.subject, detail: way.sequence)
        }
        let poster = TraceSlices([
            TraceEvent(.posted, ticks: 10, post: 1), event(.sent, way(1, to: 20)),
            event(.sent, way(2, to: 21)),
        ])
        let hearer = TraceSlices([
            TraceEvent(.posted, ticks: 10, post: 1, weight: 0), event(.received, way(2, to: -1)),
        ])
        #expect(poster.slices[0].sent == [way(1, to: 20), way(2, to: 21)])
        #expect(hearer.slices[0].received == way(2, to: -1))
        let arrows = TraceArrows([(19, poster.slices), (21, hearer.slices)])
        #expect(arrows.beginning(in: poster.slices[0], of: 19) == [1])
        #expect(arrows.ending(in: hearer.slices[0], of: 21) == 1)
        // Through a server, all hearers have the same connection and number.
        let both = TraceArrows([(19, poster.slices), (21, hearer.slices), (22, hearer.slices)])
        #expect(both.beginning(in: poster.slices[0], of: 19) == [1, 2])
        #expect(both.ending(in: hearer.slices[0], of: 21) == 1)
        #expect(both.ending(in: hearer.slices[0], of: 22) == 2)
    }

    @Test func `Protocol buffers are written as their specification's examples`() {
        var writer = ProtobufWriter()
        writer.varint(1, 150)
        writer.string(2, "testing")
        writer.message(3) { $0.varint(1, 150) }
        writer.fixed64(4, 1)
        #expect(
            writer.bytes == [
                0x08, 0x96, 0x01, 0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67, 0x1A, 0x03,
                0x08, 0x96, 0x01, 0x21, 1, 0, 0, 0, 0, 0, 0, 0,
            ])
    }

    @Test
    func `Events of posts that other processes ask for are told apart from this process's own`() {
        let events = [
            TraceEvent(.posted, ticks: 1, post: 1, weight: 0),
            TraceEvent(.received, ticks: 2, post: 1),
            TraceEvent(.posted, ticks: 3, post: 2, weight: 1),
            TraceEvent(.within, ticks: 3, post: 2, subject: 1),
            TraceEvent(.called, ticks: 4, post: 2), TraceEvent(.called, ticks: 5, post: 1),
            TraceEvent(.posted, ticks: 6, post: 3, weight: 8),
            TraceEvent(.called, ticks: 7, post: 3),
        ]
        let thread = TraceBatch.Thread(
            ring: 1, number: 1, name: "", overwritten: 0, events: events)
        // All events of the first post count, and those of the second from the event on that names
        // its origin.
        #expect(batch(1, 1, [thread]).eventsAskedFor == 5)
    }

    @Test func `Registrations do not count to the events of which there may be too many`() {
        let events = [
            TraceEvent(.posted, ticks: 1, post: 1, weight: 1),
            TraceEvent(.registered, ticks: 2, post: 0, subject: 7, detail: 1),
            TraceEvent(.called, ticks: 3, post: 1, subject: 7),
        ]
        let thread = TraceBatch.Thread(
            ring: 1, number: 1, name: "", overwritten: 4, events: events)
        // Of the four that were overwritten, one is taken for a registration as well.
        #expect(batch(1, 1, [thread]).eventsOfPosts == 5)
        #expect(batch(1, 1, [thread]).registrations == 2)
    }

    @Test func `Events before a ring's first known change belong to the thread before it`() {
        var recording = TraceRecording()
        let events = [
            TraceEvent(.posted, ticks: 1, post: 9, subject: 5),
            TraceEvent(.thread, ticks: 2, post: 1, subject: 2),
            TraceEvent(.posted, ticks: 3, post: 10, subject: 5),
            TraceEvent(.thread, ticks: 4, post: 2, subject: 4),
        ]
        recording.add(
            batch(1, 1, [.init(ring: 1, number: 4, name: "d", overwritten: 7, events: events)]))
        let counts = recording.threads.map { [$0.number: $0.events.count] }
        #expect(counts == [[1: 1], [2: 1], [4: 0]])
        #expect(recording.threads.last?.name == "d")
    }

    @Test func `A budget that is exceeded is kept at once, and one that is not used, slowly`() {
        var budget = TraceBudget(eventsPerSecond: 1000)
        let second: UInt64 = 1_000_000_000
        #expect(budget.interval(after: 1_000_000, at: second, now: 1) == 1)
        #expect(budget.interval(after: 64_000, at: 2 * second, now: 1) == 64)
        #expect(budget.interval(after: 1000, at: 3 * second, now: 64) == 64)
        #expect(budget.interval(after: 0, at: 4 * second, now: 64) == 32)
        #expect(budget.interval(after: 0, at: 5 * second, now: 1) == 1)
        #expect(budget.interval(after: .max, at: 6 * second, now: 1) == 32_768)
    }

    @Test(.decidesSampling)
    func `A flight recorder writes the posts, with their lines and handlers`() throws {
        struct RecordedMessage: NotificationMessage { typealias Subject = Probe }
        final class Probe: Sendable {}
        let center = MessageCenter()
        let recorder = FlowRecorder()
        let token = center.observe(RecordedMessage.self) { _ in }
        center.post(RecordedMessage())
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).pftrace")
        defer { try? FileManager.default.removeItem(at: file) }
        try recorder.write(to: file, last: .seconds(60))
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text.contains("RecordedMessage"))
        #expect(text.contains("SwitchyardInspectionTests/TraceRecordingTests.swift:"))
        // A link is followed, not replaced, as are devices.
        let link = file.appendingPathExtension("link")
        defer { try? FileManager.default.removeItem(at: link) }
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try Data().write(to: file)
        try recorder.write(to: link)
        #expect(try Data(contentsOf: file).count > 0)
        #expect(throws: (any Error).self) {
            try recorder.write(to: URL(fileURLWithPath: "/no/such/folder/x"))
        }
        token.cancel()
    }

    @Test(.decidesSampling)
    func `The newest recorder or tool decides, and those before it when it ends`() {
        func sampling() -> [Int] {
            [
                Int(TraceSampling.interval), TraceSampling.notesSites ? 1 : 0,
                TraceSampling.isOn ? 1 : 0,
            ]
        }
        var first: FlowRecorder? = FlowRecorder(oneIn: 2, notesCallSites: false)
        #expect(sampling() == [2, 0, 1])
        var second: FlowRecorder? = FlowRecorder(oneIn: 1000)
        #expect(sampling() == [1000, 1, 1])
        var tool: ToolTrace? = ToolTrace(eventsPerSecond: 10)
        #expect(sampling() == [1, 1, 1])
        // One that is not the newest decides nothing, and takes nothing with it.
        second = nil
        #expect(sampling() == [1, 1, 1])
        tool = nil
        #expect(sampling() == [2, 0, 1])
        first = nil
        #expect(sampling() == [1, 1, 0])
        withExtendedLifetime((first, second, tool)) {}
    }

    @Test(.decidesSampling) func `A tool that wants another number of events loses none`() {
        struct Wanted: NotificationMessage {}
        let center = MessageCenter()
        let token = center.observe(Wanted.self) { _ in }
        let tool = ToolTrace(eventsPerSecond: 1_000_000)
        center.post(Wanted())
        tool.wants(eventsPerSecond: 2_000_000)
        center.post(Wanted())
        let events = tool.next().threads.flatMap(\.events).filter { $0.kind == .posted }
        #expect(events.count >= 2)
        token.cancel()
    }

    @Test(.decidesSampling) func `A tool that asks nothing for a while has hardly anything traced`()
    {
        let tool = ToolTrace(eventsPerSecond: 10_000)
        _ = tool.next()
        tool.rest()
        tool.rest()
        #expect(TraceSampling.interval == TraceSampling.longest)
        _ = tool.next()
        #expect(TraceSampling.interval == 1 && TraceSampling.askedInterval == 1)
    }

    @Test(.decidesSampling) func `A tool that asks nothing leaves the decision to the others`() {
        let recorder = FlowRecorder(oneIn: 2)
        var tools = [ToolTrace(eventsPerSecond: 10_000), ToolTrace(eventsPerSecond: 10_000)]
        for tool in tools { tool.rest() }
        #expect(TraceSampling.interval == 2 && TraceSampling.askedInterval == 1)
        _ = tools[0].next()
        #expect(TraceSampling.interval == 1)
        _ = tools[1].next()
        #expect(TraceSampling.interval == 1 && TraceSampling.askedInterval == 1)
        tools = []
        #expect(TraceSampling.interval == 2)
        withExtendedLifetime(recorder) {}
    }

    @Test(.decidesSampling) func `Call sites are given up when nobody traces any more`() throws {
        struct Sited: NotificationMessage {}
        let center = MessageCenter()
        /// The numbers of the sites that a tool learns, of posts from one line.
        func sites() -> [UInt32] {
            let tool = ToolTrace(eventsPerSecond: 1_000_000)
            for _ in 0..<2 { center.post(Sited()) }
            let batch = tool.next()
            let known = batch.sites.map(\.number)
            let topic = batch.topics.last { $0.text.hasSuffix("Sited") }?.id
            let posts = batch.threads.flatMap(\.events).filter { $0.subject == topic }
            #expect(posts.count == 2)
            #expect(posts.allSatisfy { $0.site.map(known.contains) == true })
            return known
        }
        let first = try #require(sites().max())
        let second = try #require(sites().min())
        #expect(second > first)
    }

    @Test func `A thread that has ended keeps its name`() {
        var recording = TraceRecording()
        for name in ["thumbnails 1", ""] {
            let event = TraceEvent(.posted, ticks: 5, post: 6, subject: 7, detail: 8, weight: 9)
            recording.add(
                batch(
                    3_000, 1_000,
                    [.init(ring: 2, number: 99, name: name, overwritten: 0, events: [event])]))
        }
        #expect(recording.threads.map(\.name) == ["thumbnails 1"])
    }

    @Test(.decidesSampling)
    func `Names are given up when nobody traces any more, and are named anew`() {
        let center = NotificationCenter()
        let kept = Notification.Name("kept \(#line)")
        let token = center.observe(kept) { _ in }
        /// The names that a tool learns of posts with the kept name and some that are made up.
        func names(_ made: Range<Int>) -> Set<String> {
            let tool = ToolTrace(eventsPerSecond: 1_000_000)
            center.post(name: kept, object: nil)
            for number in made {
                center.post(name: Notification.Name("made \(number)"), object: nil)
            }
            return Set(tool.next().topics.map(\.text))
        }
        let first = names(0..<9_000)
        #expect(first.contains("\"\(kept.rawValue)\""))
        #expect(first.contains("\"made 1\"") && !first.contains("\"made 8999\""))
        let second = names(8_990..<9_000)
        #expect(second.contains("\"\(kept.rawValue)\""))
        #expect(second.contains("\"made 8999\"") && !second.contains("\"made 1\""))
        token.cancel()
    }
}
