// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCommands
@testable import SwitchyardCore
@testable import SwitchyardInspection

/// Observations that had one id in turn, in the tables and in the live page. A tick is a nanosecond.
@Suite("Ids that are used again") struct ReusedIDTests {
    private func registration(rank: UInt64) -> InspectedCenters.Registration {
        InspectedCenters.Registration(
            id: 7, sequence: rank, topic: "\"Saved\"", object: "any object", context: "main",
            file: "A.swift", line: UInt32(rank), priority: 0, flags: [], delivered: 0, lost: 0,
            depth: 0, mailbox: 1)
    }

    private func centers(rank: UInt64?) -> InspectedCenters {
        let all = rank.map { [registration(rank: $0)] } ?? []
        return InspectedCenters([
            .init(number: 1, name: "c", expired: 0, registrations: all, findings: [])
        ])
    }

    private func registered(
        _ rank: UInt32, at ticks: UInt64, of center: UInt64 = 1
    ) -> TraceEvent {
        TraceEvent(.registered, ticks: ticks, post: center, subject: 7, detail: rank)
    }

    /// A call of the observation's handler that took so many units.
    private func call(_ units: UInt32, at ticks: UInt64) -> TraceEvent {
        TraceEvent(.called, ticks: ticks, post: ticks, subject: 7, detail: units)
    }

    private func recording(_ events: [TraceEvent]) -> TraceRecording {
        var recording = TraceRecording()
        let thread = TraceBatch.Thread(
            ring: 1, number: 1, name: "", overwritten: 0, events: events)
        for (time, threads) in [(UInt64(0), []), (10_000, [thread])] {
            recording.add(
                TraceBatch(
                    clock: .init(ticks: time, nanoseconds: time), interval: 1, topics: [],
                    sites: [], threads: threads))
        }
        return recording
    }

    private let looks = HandlerSamples(
        looks: 10, threads: [.init(number: 1, name: "a", looks: [7: 5])])

    private func row(
        before: UInt64?, _ events: [TraceEvent]
    ) -> HandlerTable.Row? {
        HandlerTable(
            process: 1, name: "p", before: centers(rank: before), after: centers(rank: 9),
            samples: looks, times: DeliveryTimes(recording(events)), seconds: 1
        ).rows.first
    }

    private func seconds(_ units: Double) -> Double {
        units * Double(TraceClock.ticksOfDetail) / 1e9
    }

    @Test func `A row has the times of its own observation, not of one that has ended before it`() {
        // The first has come and gone between two looks.
        let events = [
            registered(8, at: 1000), call(50, at: 2000), registered(9, at: 5000),
            call(3, at: 6000),
        ]
        #expect(row(before: nil, events)?.took == seconds(3))
        // Looks at threads can't be told apart.
        #expect(row(before: nil, events)?.busy == 0)
        #expect(row(before: nil, events)?.isBusyKnown == false)
        // A look before has seen the first, and the trace the second's registration.
        #expect(row(before: 8, Array(events.dropFirst()))?.took == seconds(3))
        // The only event tells of another one, of this center or another.
        #expect(row(before: nil, [registered(8, at: 1000), call(50, at: 2000)])?.took == nil)
        let other = [registered(9, at: 1000, of: 2), call(50, at: 2000)]
        #expect(row(before: nil, other)?.took == nil)
        // No look and no event tells of another one.
        #expect(row(before: nil, Array(events.dropFirst(2)))?.busy == 0.5)
        #expect(row(before: nil, Array(events.dropFirst(2)))?.isBusyKnown == true)
        #expect(row(before: 9, [call(3, at: 6000)])?.took == seconds(3))
    }

    @Test
    func `The page has the times of its own observation, not of one that has ended before it`() {
        let events = [
            registered(8, at: 1000), call(50, at: 2000), registered(9, at: 5000),
            call(3, at: 6000),
        ]
        let window = LiveWindow(
            process: 1, name: "p", before: centers(rank: nil), after: centers(rank: 9), seconds: 5,
            samples: looks, recording: recording(events), tracedSeconds: 5)
        let graph = FlowGraph(window)
        #expect(graph.handlers.first?.row.took == seconds(3))
        #expect(graph.handlers.first?.row.busy == 0)
        let names = LiveBarNames(window, graph)
        let slices = TraceSlices(events.filter { $0.kind == .called }).slices
        #expect(slices.map { names.name(of: $0).text } == ["an ended observation", "A.swift:9"])
    }
}
