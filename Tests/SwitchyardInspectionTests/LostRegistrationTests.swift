// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import Testing

@testable import SwitchyardInspection

/// Names of observations in recordings of which events were overwritten: a registration may be
/// among them.
@Suite("Registrations that were overwritten") struct LostRegistrationTests {
    private let ended = "an ended observation"

    /// The registration of a center that has one id, by its rank and line.
    private func centers(_ sequence: UInt64, line: UInt32) -> InspectedCenters {
        let registration = InspectedCenters.Registration(
            id: 7, sequence: sequence, topic: "\"n\"", object: "any object", context: "main",
            file: "A.swift", line: line, priority: 0, flags: [], delivered: 0, lost: 0, depth: 0)
        return InspectedCenters([
            .init(number: 1, name: "c", expired: 0, registrations: [registration], findings: [])
        ])
    }

    private func call(_ ticks: UInt64) -> TraceEvent {
        TraceEvent(.called, ticks: ticks, post: ticks, subject: 7, detail: 0)
    }

    /// A recording with calls of one id, and another thread of which the events between 140 and 200
    /// were overwritten. One tick is a nanosecond.
    private func recording(_ calls: [TraceEvent], _ registered: TraceEvent? = nil) -> TraceRecording
    {
        func thread(
            _ ring: UInt64, overwritten: UInt64 = 0, _ events: [TraceEvent]
        ) -> TraceBatch.Thread {
            TraceBatch.Thread(
                ring: ring, number: Int32(ring), name: "", overwritten: overwritten, events: events)
        }
        func batch(_ ticks: UInt64, _ threads: [TraceBatch.Thread]) -> TraceBatch {
            TraceBatch(
                clock: .init(ticks: ticks, nanoseconds: ticks), interval: 1, topics: [], sites: [],
                threads: threads)
        }
        let other = TraceEvent(.posted, ticks: 140, post: 1, subject: 5)
        var recording = TraceRecording()
        recording.add(batch(100, []))
        recording.add(
            batch(
                150, [thread(2, (registered.map { [$0] } ?? []) + [other])]))
        recording.add(
            batch(
                400,
                [
                    thread(1, calls),
                    thread(
                        2, overwritten: 9, [TraceEvent(.posted, ticks: 200, post: 2, subject: 5)]),
                ]))
        return recording
    }

    private func shown(_ recording: TraceRecording, _ names: ObserverNames) -> [String] {
        let process = RecordedProcess(recording, number: 1, name: "", observers: names, sites: [:])
        let calls = recording.threads.filter { $0.number == 1 }.flatMap(\.events)
        return TraceSlices(calls).slices.map(process.name(of:))
    }

    @Test func `An event behind a loss has no name of an observation that may have ended`() {
        var names = ObserverNames()
        names.learn(centers(1, line: 10), asked: 100, answered: 110)
        let recording = recording([call(130), call(160), call(250)])
        #expect(shown(recording, names) == ["A.swift:10", ended, ended])
        // It was still there later.
        names.learn(centers(1, line: 10), asked: 230, answered: 240)
        #expect(shown(recording, names) == ["A.swift:10", "A.swift:10", "A.swift:10"])
    }

    @Test func `An observation that has the trace's last registration may not be the last`() {
        let registered = TraceEvent(.registered, ticks: 120, post: 1, subject: 7, detail: 2)
        var names = ObserverNames()
        names.learn(centers(2, line: 20), asked: 125, answered: 126)
        let recording = recording([call(130), call(250)], registered)
        #expect(shown(recording, names) == ["A.swift:20", ended])
        // As a flight recorder has it: alive when all is over.
        let atEnd = ObserverNames(centers(2, line: 20))
        #expect(shown(recording, atEnd) == ["A.swift:20", "A.swift:20"])
    }

    @Test func `Losses are remembered as few spans`() {
        var losses = TraceLosses()
        losses.add(from: 10, to: 20)
        losses.add(from: 30, to: 40)
        losses.add(from: 5, to: 5)
        losses.add(from: 50, to: 60)
        #expect(losses.spans == [10..<20, 30..<40, 50..<60])
        losses.add(from: 15, to: 35)
        #expect(losses.spans == [10..<40, 50..<60])
        losses.forget { $0 < 70 }
        #expect(losses.spans == [10..<60])
        for number: UInt64 in 100..<3000 { losses.add(from: number * 2, to: number * 2 + 1) }
        #expect(losses.spans.count == 1000)
        #expect(losses.spans.last == 5998..<5999 && losses.spans.first?.lowerBound == 10)
    }
}
