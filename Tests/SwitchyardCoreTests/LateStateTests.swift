// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardCore

@Suite("Deliveries under way that may be late") struct LateStateTests {
    private var state = LateState<String>(limit: .seconds(10))

    @Test mutating func `One timer serves all deliveries, and sleeps until the next is late`() {
        #expect(state.begin("outer", at: .seconds(0), waited: .zero).timer == .seconds(10))
        #expect(state.begin("inner", at: .seconds(4), waited: .zero).timer == nil)
        let first = state.timerFired(at: .seconds(10))
        #expect(first.late.map(\.handler) == ["outer"])
        #expect(first.next == .seconds(14))
        // Each late delivery is reported once while it runs.
        let second = state.timerFired(at: .seconds(14))
        #expect(second.late.map(\.handler) == ["inner"])
        #expect(second.next == nil)
        #expect(state.begin("third", at: .seconds(15), waited: .zero).timer == .seconds(25))
        #expect(state.timerFired(at: .seconds(25)).late.map(\.handler) == ["third"])
    }

    @Test mutating func `A timer that finds no delivery under way is not set again`() {
        let number = state.begin("quick", at: .seconds(0), waited: .zero).number
        #expect(state.end(number, at: .seconds(1))?.isLate == false)
        #expect(state.begin("next", at: .seconds(2), waited: .zero).timer == nil)
        #expect(state.end(number + 1, at: .seconds(3))?.isLate == false)
        let fired = state.timerFired(at: .seconds(10))
        #expect(fired.late.isEmpty)
        #expect(fired.next == nil)
        #expect(state.begin("later", at: .seconds(11), waited: .zero).timer == .seconds(21))
    }

    @Test mutating func `After a timer that could not sleep, the next delivery starts another`() {
        let number = state.begin("slow", at: .seconds(0), waited: .zero).number
        state.timerFailed()
        #expect(state.begin("next", at: .seconds(1), waited: .zero).timer == .seconds(11))
        // A delivery that was under way is told when it has ended.
        #expect(state.end(number, at: .seconds(10))?.isLate == true)
    }

    @Test
    mutating func `A delivery that was reported while it ran is reported again when it has ended`()
    {
        let number = state.begin("slow", at: .seconds(0), waited: .zero).number
        #expect(state.timerFired(at: .seconds(10)).late.count == 1)
        #expect(state.end(number, at: .seconds(11))?.isLate == true)
        #expect(state.end(number, at: .seconds(12)) == nil)
    }
}
