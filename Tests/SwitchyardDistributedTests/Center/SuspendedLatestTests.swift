// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("The latest notification of a distributed center", .timeLimit(.minutes(5)))
struct SuspendedLatestTests {
    private let network = InMemoryNetwork()
    private let name = Notification.Name("A")

    @Test(.rule(43)) func `A distributed center keeps what its own process posts`() throws {
        let center = try network.center(named: "center")
        center.post(name: name, object: "one", userInfo: nil, retaining: .latest)
        let log = Log<String>()
        let token = center.observe(name, on: .poster, options: .replayingLatest) {
            log.add($0.object as? String ?? "")
        }
        #expect(log.entries == ["one"])
        token.cancel()
    }

    @Test(.rule(43))
    func `While the center is suspended, the latest is kept all the same, and heard once`()
        throws
    {
        let center = try network.center(named: "center")
        let log = Log<String>()
        let early = center.observe(name, on: .poster) {
            log.add("early \($0.object as? String ?? "")")
        }
        center.suspended = true
        center.post(name: name, object: "one", userInfo: nil, retaining: .latest)
        #expect(center.latest(name, of: "one") != nil)
        let late = center.observe(name, on: .poster, options: .replayingLatest) {
            log.add("late \($0.object as? String ?? "")")
        }
        center.suspended = false
        #expect(log.entries.sorted() == ["early one", "late one"])
        for token in [early, late] { token.cancel() }
    }
}
