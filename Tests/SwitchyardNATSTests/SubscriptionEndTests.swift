// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Subscriptions that end on one thread while another one reads.
@Suite("Ends of NATS subscriptions", .serialized, .timeLimit(.minutes(5)))
struct SubscriptionEndTests {
    @Test(.rule(40)) func `A subscription may end while its messages are read`() async throws {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        // Long messages take libnats long from the look at their subscription to its use.
        let text = String(repeating: "x", count: 200_000)
        let publishing = Task.detached {
            while !Task.isCancelled {
                for _ in 0..<4 { try poster.publish(text, to: "long") }
                _ = await poster.center.waitUntilFlushed(within: .seconds(60))
            }
        }
        try await onOwnThread {
            for _ in 0..<300 {
                let hasCome = DispatchSemaphore(value: 0)
                let subscription = try hearer.listen(to: "long") { _ in hasCome.signal() }
                hasCome.wait()
                withExtendedLifetime(subscription) {}
            }
        }
        publishing.cancel()
        try await publishing.value
    }
}
#endif
