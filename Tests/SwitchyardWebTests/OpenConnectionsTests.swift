// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Web
import SwitchyardCore
import Testing

@testable import SwitchyardWeb

/// The limit of open connections, and the users at their other ends.
@Suite("Open connections") struct OpenConnectionsTests {
    @Test func `A connection beyond the limit takes the place of the oldest that has not asked`()
        throws
    {
        let closed = Guarded<[String]>([])
        let connections = OpenConnections(3)
        func enter(_ name: String) -> Int? {
            connections.enter { closed.withLock { $0.append(name) } }
        }
        connections.hasAsked(try #require(enter("asked")))
        _ = try #require(enter("silent"))
        let newer = try #require(enter("newer"))
        _ = try #require(enter("newest"))
        #expect(closed.withLock { $0 } == ["silent"])
        connections.leave(newer)
        _ = try #require(enter("last"))
        #expect(closed.withLock { $0 } == ["silent"])
    }

    @Test
    func `A connection beyond the limit is refused where all have asked, until one has ended`()
        throws
    {
        let connections = OpenConnections(2)
        var numbers: [Int] = []
        for _ in 0..<2 {
            let number = try #require(connections.enter { Issue.record("one was closed") })
            connections.hasAsked(number)
            numbers.append(number)
        }
        #expect(connections.enter {} == nil)
        connections.leave(numbers[0])
        #expect(connections.enter {} != nil)
    }
}
#endif
