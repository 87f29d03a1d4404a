// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Sessions that a server ends by itself.
@Suite("Sessions that a server ends", .serialized, .timeLimit(.minutes(5)))
struct EndedSessionTests {
    @Test(.rule(40))
    func `A server that ends each session is tried more and more seldom, and its reason is told`()
        async throws
    {
        let server = try EndingServer("maximum subscriptions exceeded")
        let start = ContinuousClock.now
        let member = try Member(NATSOptions(servers: [server.url]))
        func breaks() -> [String] { member.problems.entries.filter { $0.contains("broke") } }
        #expect(await until { breaks().count >= 10 })
        // Nine pauses that double: half of 8, 16, …, 1,024 and 2,000 milliseconds at least.
        #expect(ContinuousClock.now - start >= .seconds(2))
        #expect(breaks().allSatisfy { $0.contains("ended it: maximum subscriptions exceeded") })
    }

    @Test(.rule(40)) func `A connection that breaks without a word has no reason`() async throws {
        let server = try Server()
        let member = try Member(server)
        server.end()
        #expect(await until { member.problems.entries.contains { $0.contains("broke") } })
        #expect(!member.problems.entries.contains { $0.contains("ended it") })
    }

    @Test func `Pauses grow with sessions that end soon, until one lasts`() {
        var pauses = ReconnectPauses()
        let (start, options) = (ContinuousClock.now, NATSOptions())
        #expect((4...8).contains(pauses.milliseconds(before: 0, options)))
        #expect((64...128).contains(pauses.milliseconds(before: 4, options)))
        for round in 0..<5 {
            #expect((4 << round...8 << round).contains(pauses.milliseconds(before: 0, options)))
            for _ in 0..<(round == 0 ? 2 : 1) {
                pauses.begin(at: start)
                pauses.end(at: start + .seconds(9))
            }
        }
        #expect((1_000...2_000).contains(pauses.milliseconds(before: 100, options)))
        // The end of a session that was never used counts for nothing.
        pauses.end(at: start)
        #expect((128...256).contains(pauses.milliseconds(before: 0, options)))
        pauses.begin(at: start)
        pauses.end(at: start + .seconds(10))
        #expect((4...8).contains(pauses.milliseconds(before: 0, options)))
    }
}
#endif
