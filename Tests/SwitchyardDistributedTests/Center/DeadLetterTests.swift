// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

@Suite("Dead letters between processes", .timeLimit(.minutes(5)))
struct DeadLetterTests {
    private struct Added: DistributedMessage {
        static let name = Notification.Name("Added")
        var number = 0
    }

    private let network = InMemoryNetwork()
    private let letters = Log<String>()

    /// Posts to `center` in each way.
    ///
    /// - Returns: The number of posts.
    private func postInAllWays(to center: DistributedNotificationCenter) throws -> Int {
        center.post(name: Added.name, object: nil)
        center.postNotificationName(Added.name, object: "x", deliverImmediately: true)
        center.postAndReport(Notification(name: Added.name, object: "x"))
        try center.post(Added())
        try center.post(Added(), subject: "x")
        try center.post(name: Added.name, payload: DistributedPayload(bytes: [1]))
        try center.post(name: Added.name, bytes: ([1] as [UInt8]).span.bytes)
        return 7
    }

    @Test(.rule(32), .rule(38), arguments: [false, true], [false, true])
    func `A post that only other processes hear is no dead letter`(
        _ isSuspended: Bool, _ hasDeafObserver: Bool
    ) async throws {
        let (a, b) = (try network.center(named: "a"), try network.center(named: "b"))
        a.onDeadLetter { letters.add($0) }
        let there = b.observe(Added.name, on: .poster) { _ in }
        // The name is known here, but no post reaches the observer.
        let here = a.observe(
            Added.name, of: hasDeafObserver ? "other" : nil, on: .poster,
            options: .whenSuspended(.drop)
        ) { _ in }
        if !hasDeafObserver { here.cancel() }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        a.suspended = isSuspended
        _ = try postInAllWays(to: a)
        #expect(letters.entries == [])
        there.cancel()
        here.cancel()
    }

    @Test(.rule(32), .rule(38))
    func `A post that nobody hears in any process is a dead letter`() async throws {
        let (a, b) = (try network.center(named: "a"), try network.center(named: "b"))
        a.onDeadLetter { letters.add($0) }
        let token = b.observe(Notification.Name("Other"), on: .poster) { _ in }
        #expect(await b.waitUntilReady(within: .seconds(60)).isEmpty)
        let count = try postInAllWays(to: a)
        #expect(letters.entries == Array(repeating: "\"Added\"", count: count))
        token.cancel()
    }

    @Test(.rule(32), .rule(38))
    func
        `Where a server alone knows who hears a post, one that nobody here hears is a dead letter`()
        throws
    {
        let center = try DistributedNotificationCenter(transport: HandCarriedTransport("own"))
        center.onDeadLetter { letters.add($0) }
        let count = try postInAllWays(to: center)
        #expect(letters.entries.count == count)
    }
}
