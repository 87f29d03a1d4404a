// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCore

@Suite("The graph of waits", .timeLimit(.minutes(5))) struct WaitGraphTests {
    private func thread(_ number: Int) -> WaitGraph.Resource {
        WaitGraph.Resource(.thread(UInt(number)), "thread \(number)")
    }

    @Test(.rule(12)) func `A wait asks only the waits that it depends on`() throws {
        let asked = Log<Int>()
        // Numbers that no thread has: those are addresses.
        func begin(_ holder: Int, for target: Int) throws -> WaitGraph.Wait {
            try WaitGraph.begin(
                [thread(holder)], for: [asked.adding(holder, thread(target))])
        }
        let waits = try (1...1_000).map { try begin($0, for: 5_000) }
        #expect(asked.entries == Array(1...1_000))
        // 2,001 waits for 2,000, which waits for 2.
        let chain = [try begin(2_000, for: 2), try begin(2_001, for: 2_000)]
        #expect(asked.entries.dropFirst(1_000) == [2_000, 2, 2_001, 2_000, 2])
        #expect(throws: WaitGraph.Cycle.self) { try begin(5_000, for: 2_001) }
        for wait in waits + chain { WaitGraph.end(wait) }
        // Nothing of them is left.
        let before = asked.entries.count
        WaitGraph.end(try begin(5_000, for: 2_001))
        #expect(asked.entries.dropFirst(before) == [5_000])
    }
}

extension Log<Int> {
    /// Notes a number down, and returns a resource.
    fileprivate func adding(
        _ number: Int, _ resource: WaitGraph.Resource
    ) -> WaitGraph.Resource {
        add(number)
        return resource
    }
}
