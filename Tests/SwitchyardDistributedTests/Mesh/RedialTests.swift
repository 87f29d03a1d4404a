// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The pauses before a member is connected to once more, in times that the tests make up.
@Suite("Redials", .timeLimit(.minutes(5))) struct RedialTests {
    private static let millisecond: UInt64 = 1_000_000
    private static let start: UInt64 = 1_000_000_000_000

    @Test(.rule(36)) func `A member that does not accept this one is tried more and more seldom`() {
        var redials = Redials()
        var now = Self.start
        for pause: UInt64 in [0, 10, 20, 40, 80] {
            redials.add("a", at: now)
            if pause > 0 {
                now += pause * Self.millisecond - 1
                #expect(redials.takeDue(at: now).isEmpty)
                now += 1
            }
            #expect(redials.takeDue(at: now) == ["a"])
            #expect(redials.milliseconds(at: now) == -1)
        }
        #expect(redials.tries(for: "a") == 5)
        redials.end("a")
        redials.add("a", at: now)
        #expect(redials.takeDue(at: now) == ["a"])
    }

    @Test(.rule(36))
    func `A member that accepts and breaks off is tried at once, and then in turns`() {
        var redials = Redials()
        var atOnce: UInt64 = 0
        while atOnce < 1_000 {
            redials.addAnew("a", at: Self.start)
            if redials.takeDue(at: Self.start).isEmpty { break }
            redials.end("a")
            atOnce += 1
        }
        #expect(atOnce == Redials.mostAtOnce + 1)
        #expect(redials.milliseconds(at: Self.start) > 0)
        // Others are not held up.
        redials.addAnew("b", at: Self.start)
        #expect(redials.takeDue(at: Self.start) == ["b"])
        // For as long as it goes on, there are as many tries as the time allows.
        var (tries, now) = (0, Self.start)
        while now < Self.start + 10_000 * Self.millisecond {
            if redials.takeDue(at: now) == ["a"] {
                tries += 1
                redials.end("a")
                redials.addAnew("a", at: now)
            }
            now += Self.millisecond
        }
        #expect((190...210).contains(tries))
    }

    @Test(.rule(36)) func `A member whose connection lasted is tried at once again`() {
        var redials = Redials()
        for _ in 0..<1_000 {
            redials.addAnew("a", at: Self.start)
            redials.end("a")
        }
        redials.forget("a")
        redials.addAnew("a", at: Self.start)
        #expect(redials.takeDue(at: Self.start) == ["a"])
        for round in 1...5 {
            let later = Self.start + UInt64(round) * 60_000 * Self.millisecond
            redials.addAnew("a", at: later)
            #expect(redials.takeDue(at: later) == ["a"])
        }
    }

    @Test func `A clock that has just begun does no harm`() {
        var redials = Redials()
        redials.addAnew("a", at: 1)
        #expect(redials.takeDue(at: 1) == ["a"])
    }

    @Test(.rule(43))
    func `Of connections that are back one after the other, the center hears at times`() {
        var returns = Returns()
        func isTold(_ pause: UInt64, plus more: UInt64 = 0) -> Bool {
            returns.takeDue(at: Self.start + pause * Returns.pause + more)
        }
        #expect(!isTold(0))
        returns.add(at: Self.start)
        #expect(isTold(0))
        for step in 1..<100 { returns.add(at: Self.start + UInt64(step)) }
        #expect(!isTold(0, plus: Returns.pause - 1))
        // The last of them is not forgotten.
        #expect(isTold(1))
        #expect(returns.milliseconds == -1)
        #expect(!isTold(9))
        returns.add(at: Self.start + 9 * Returns.pause)
        #expect(isTold(9))
    }
}
