// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Logging
import Foundation
import InMemoryLogging
import Logging
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardDistributedTesting
import SwitchyardLogging
import TestSupport
import Testing

private struct Job: DistributedMessage { var number: Int }

/// A transport that carries nothing, and lets the test tell of losses.
private final class SilentTransport: DistributedTransport {
    let intake = Log<DistributedIntake>()

    func start(_ intake: DistributedIntake) { self.intake.add(intake) }
    func stop() {}
    func interestChanged() {}
    func send(_ notification: OutgoingNotification) -> DistributedSendResult {
        DistributedSendResult()
    }
    func waitUntilReady(within limit: Duration) async -> [DistributedPeer] { [] }
    func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer] { [] }
    var peers: [DistributedPeerStatus] { [] }
    var ownPeer: DistributedPeer {
        DistributedPeer(id: "own", processIdentifier: 1, processName: "folio")
    }
    func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? { nil }
    func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? { nil }
}

@Suite("Problems between processes in the log") struct DistributedLogTests {
    private let handler = InMemoryLogHandler()
    private var logger: Logger { Logger(label: "test") { [handler] _ in handler } }

    @Test(.rule(36)) func `A loss is a warning, also when the program has a hook for it`() throws {
        let transport = SilentTransport()
        let center = try DistributedNotificationCenter(transport: transport)
        center.logProblems(to: logger)
        let intake = try #require(transport.intake.entries.first)
        let peer = DistributedPeer(id: "other", processIdentifier: 7, processName: "converter")
        intake.report(DistributedLoss(peer: peer, direction: .incoming, count: 12))
        let told = Log<UInt64>()
        center.onLoss { told.add($0.count) }
        intake.report(DistributedLoss(peer: peer, direction: .outgoing, count: 30))
        #expect(told.entries == [30])
        let entries = handler.entries
        #expect(entries.map(\.metadata["count"]) == ["12", "30"])
        for entry in entries {
            #expect(entry.level == .warning)
            #expect(entry.message == "notifications were lost between processes")
            #expect("\(entry.metadata["detail"] ?? "")".contains("converter"))
        }
    }

    @Test(.rule(39)) func `The log has the name of a notification, and never its payload`()
        async throws
    {
        let network = InMemoryNetwork()
        let (near, far) = try (network.center(named: "near"), network.center(named: "far"))
        near.logProblems(to: logger)
        far.logProblems(to: logger)
        let token = near.observe(Job.self, on: .poster) { _ in }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        let name = Notification.Name("\(DistributedLogTests.self)")
        // Not of the message's type, and then of no type that can be sent.
        far.post(name: Job.name, object: nil, userInfo: ["number": "swordfish"])
        far.post(name: name, object: nil, userInfo: ["swordfish": Self.self])
        await until { handler.entries.count >= 2 }
        let entries = handler.entries
        #expect(entries.count == 2)
        #expect(entries.contains { $0.metadata["kind"] == "notConvertible" })
        #expect(entries.contains { $0.metadata["kind"] == "notDistributable" })
        #expect(entries.allSatisfy { $0.level == .warning && $0.metadata["topic"] != nil })
        #expect(!"\(entries)".contains("swordfish"))
        token.cancel()
    }
}
#endif
