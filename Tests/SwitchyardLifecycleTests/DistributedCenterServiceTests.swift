// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Lifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardDistributedTesting
import SwitchyardLifecycle
import TestSupport
import Testing

private struct Job: DistributedMessage {
    var number: Int
    var text = String(repeating: "x", count: 10_000)
}

@Suite("Distributed centers as services", .timeLimit(.minutes(5)))
struct DistributedCenterServiceTests {
    private let network = InMemoryNetwork()
    private let heard = Log<Int>()
    private let lost = Log<UInt64>()
    private let reports = Log<DrainReport>()

    /// A hearer, which notes what it hears and loses, and a poster that it is known to.
    private func centers() async throws -> (
        near: DistributedNotificationCenter, far: DistributedNotificationCenter, ObservationToken
    ) {
        let (near, far) = try (network.center(named: "near"), network.center(named: "far"))
        near.onLoss { [lost] in lost.add($0.count) }
        far.onLoss { _ in }
        let token = near.observe(Job.self, on: .poster) { [heard] in heard.add($0.number) }
        // Only of processes that it knows can it wait for an answer.
        await until { near.peers.count == 1 && far.peers.count == 1 }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        return (near, far, token)
    }

    private func service(
        _ center: DistributedNotificationCenter, drainingFor limit: Duration
    ) -> DistributedCenterService {
        DistributedCenterService(center, drainingFor: limit) { [reports] in reports.add($0) }
    }

    @Test(.rule(36)) func `A graceful shutdown refuses posts, sends what waits, and leaves`()
        async throws
    {
        let (near, far, token) = try await centers()
        network.hold(from: "far", to: "near")
        for number in 0..<50 { try far.post(Job(number: number)) }
        var count = 50
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            async let run: Void = service(far, drainingFor: .seconds(240)).run()
            // Until the service has begun to leave, posts still go out.
            await until {
                let isTaken = (try? far.post(Job(number: count)))?.dropped == 0
                if isTaken { count += 1 }
                return !isTaken
            }
            network.release(from: "far", to: "near")
            try await run
        }
        #expect(await heard.arrival(of: count) == Array(0..<count))
        await until { near.peers.isEmpty }
        #expect(near.peers.isEmpty)
        #expect(lost.entries == [])
        #expect(reports.entries.map(\.left) == [0])
        #expect(reports.entries.map(\.unflushed) == [[]])
        token.cancel()
    }

    @Test(.rule(36), arguments: [false, true])
    func `Notifications left after the limit, or when cancelled, are lost on both sides`(
        isCancelled: Bool
    ) async throws {
        let (near, far, token) = try await centers()
        network.hold(from: "far", to: "near")
        for number in 0..<200 { try far.post(Job(number: number)) }
        let service = service(far, drainingFor: isCancelled ? .seconds(240) : .milliseconds(1))
        if isCancelled {
            let task = Task { try await service.run() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            try await testGracefulShutdown { trigger in
                trigger.triggerGracefulShutdown()
                try await service.run()
            }
        }
        let report = try #require(reports.entries.first)
        #expect(report.left > 0 && report.isCancelled == isCancelled)
        #expect(report.losses.map(\.peer.processName) == ["near"])
        // Nothing is asked of the others when the task is cancelled.
        #expect(report.unflushed.map(\.processName) == (isCancelled ? [] : ["near"]))
        let isTold = report.description.contains("not everything was taken by near")
        #expect(isTold == !isCancelled)
        network.release(from: "far", to: "near")
        #expect(await lost.arrival(of: 1) == [UInt64(report.left)])
        #expect(heard.entries == Array(0..<200 - report.left))
        withExtendedLifetime(near) { token.cancel() }
    }
}
#endif
