// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardWire
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("Hooks that suspend", .timeLimit(.minutes(5))) struct SuspendingHookTests {
    /// A hook runs on the thread of the post, between its way to others and its delivery here.
    @Test(.rule(38)) func `A post whose own problem suspends the center is not delivered to it`()
        async throws
    {
        let name = Notification.Name("full")
        let network = ScriptedNetwork(peers: ["peer"])
        let center = try network.center(DistributedLimits(queueBytes: 100_000))
        let peer = try #require(network.peer("peer"))
        peer.greet()
        peer.say { frames in
            DistributedInterest(name: name.rawValue, object: nil).write(
                to: &frames, isObserved: true)
            frames.frame(.sync, 0)
        }
        #expect(peer.hear(until: .synced)?.type == .synced)
        center.onProblem { [weak center] _ in center?.suspended = true }
        let heard = Log<Int>()
        let token = center.observe(
            undecoded: name, on: .poster, options: .whenSuspended(.drop)
        ) { _ in heard.add(1) }
        var posted = 0
        // The peer reads nothing, so its queue becomes full.
        while !center.suspended {
            posted += 1
            try center.post(
                name: name, payload: DistributedPayload(bytes: Array(repeating: 0, count: 30_000)))
        }
        #expect(heard.entries.count == posted - 1)
        token.cancel()
    }
}
