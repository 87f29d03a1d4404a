// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import Testing

@testable import SwitchyardInspection

@Suite("Budgets of traces") struct TraceBudgetTests {
    private let tenth: UInt64 = 100_000_000

    @Test func `A budget that is not used grows with time, not with questions`() {
        var budget = TraceBudget(eventsPerSecond: 1000)
        _ = budget.interval(after: 0, at: tenth, now: 64)
        let soon = (2...10).map { budget.interval(after: 0, at: $0 * tenth, now: 64) }
        #expect(soon.allSatisfy { $0 == 64 })
        #expect(budget.interval(after: 0, at: 11 * tenth, now: 64) == 32)
        #expect(budget.interval(after: 0, at: 12 * tenth, now: 32) == 32)
        // As many events as are wanted, and the second begins anew.
        #expect(budget.interval(after: 100, at: 13 * tenth, now: 32) == 32)
        #expect(budget.interval(after: 0, at: 22 * tenth, now: 32) == 32)
        #expect(budget.interval(after: 0, at: 23 * tenth, now: 32) == 16)
        // A tool that asks seldom: by half for each second.
        #expect(budget.interval(after: 0, at: 43 * tenth, now: 16) == 4)
    }

    @Test func `Registrations leave less room for posts`() {
        var budget = TraceBudget(eventsPerSecond: 1000)
        _ = budget.interval(after: 0, at: 10 * tenth, now: 4)
        #expect(budget.interval(after: 1000, besides: 500, at: 20 * tenth, now: 4) == 8)
        #expect(budget.interval(after: 1000, besides: 1 << 40, at: 30 * tenth, now: 4) == 40)
    }

    @Test func `Events that were overwritten are taken for what the others are`() {
        let events =
            [TraceEvent(.posted, ticks: 1, post: 1, subject: 7)]
            + (0..<3).map { TraceEvent(.registered, ticks: 2, post: 1, subject: $0) }
        let batch = TraceBatch(
            clock: .init(ticks: 1, nanoseconds: 1), interval: 1, topics: [], sites: [],
            threads: [
                .init(ring: 1, number: 1, name: "", overwritten: 8, events: events),
                .init(ring: 2, number: 2, name: "", overwritten: 5, events: []),
            ])
        #expect(batch.registrations == 9 && batch.eventsOfPosts == 8)
    }
}
