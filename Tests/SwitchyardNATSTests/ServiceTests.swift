// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS && Lifecycle
import Foundation
import NATSProbe
import ServiceLifecycle
import ServiceLifecycleTestKit
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardLifecycle
import SwitchyardNATS
import TestSupport
import Testing

/// Centers that reach others through a server, as services.
@Suite("Centers on NATS as services", .timeLimit(.minutes(5)))
struct ServiceTests {
    private let limit = Duration.seconds(60)

    @Test(.rule(36)) func `A graceful shutdown sends what was posted before, and leaves`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let (heard, reports) = (Log<Int>(), Log<DrainReport>())
        let token = hearer.numbers("A", in: heard)
        #expect(await hearer.center.waitUntilReady(within: limit).isEmpty)
        let service = DistributedCenterService(poster.center) { reports.add($0) }
        try await testGracefulShutdown { trigger in
            for number in 0..<1_000 { try poster.post("A", number) }
            trigger.triggerGracefulShutdown()
            try await service.run()
        }
        #expect(await heard.arrival(of: 1_000) == Array(0..<1_000))
        #expect(reports.entries.map(\.left) == [0])
        #expect(reports.entries.map(\.isCancelled) == [false])
        // A center that has left can't post to others.
        #expect(try poster.post("A", 1_000).dropped == 1)
        token.cancel()
    }
}
#endif
