// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Lifecycle
import Logging
import ServiceLifecycle
import ServiceLifecycleTestKit
import Switchyard
import SwitchyardCore
import SwitchyardLifecycle
import TestSupport
import Testing

private struct Ping: NotificationMessage { var number = 0 }

@Suite("Threads as services", .timeLimit(.minutes(5))) struct DeliveryThreadServiceTests {
    private let center = MessageCenter()
    private let worker = DeliveryThread(name: "worker")
    private let heard = Log<Int>()
    private let reports = Log<DrainReport>()
    private let problems = Log<DeliveryProblem>()

    private func service(drainingFor limit: Duration) -> DeliveryThreadService {
        DeliveryThreadService(worker, drainingFor: limit) { [reports] in reports.add($0) }
    }

    /// Observes on the worker, whose handler waits for `gate` each time, and says in `entered` that
    /// it is there.
    private func observe(behind gate: Gate, entered: Gate) -> ObservationToken {
        center.onProblem { [problems] in problems.add($0) }
        return center.observe(Ping.self, on: .thread(worker)) { [heard] ping in
            entered.open()
            gate.wait()
            heard.add(ping.number)
        }
    }

    @Test(.rule(29)) func `A graceful shutdown delivers what waits, and takes nothing after that`()
        async throws
    {
        let (gate, entered) = (Gate(), Gate())
        let token = observe(behind: gate, entered: entered)
        for number in 0..<10 { center.post(Ping(number: number)) }
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            async let run: Void = service(drainingFor: .seconds(240)).run()
            // The thread takes nothing any more, while the first handler runs.
            await until { !worker.perform {} }
            gate.open()
            try await run
        }
        #expect(heard.entries == Array(0..<10))
        let report = try #require(reports.entries.first)
        #expect(reports.entries.count == 1)
        #expect(report.left == 0 && !report.isCancelled && !report.isStillRunning)
        #expect(report.description == "delivery thread worker: shut down, nothing was left")
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }

    @Test(.rule(29)) func `Deliveries that the limit cuts off are dropped and counted`()
        async throws
    {
        let (gate, entered) = (Gate(), Gate())
        let token = observe(behind: gate, entered: entered)
        for number in 0..<10 { center.post(Ping(number: number)) }
        // The first handler does not return.
        await onOwnThread { _ = entered.wait() }
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await service(drainingFor: .milliseconds(1)).run()
        }
        let report = try #require(reports.entries.first)
        #expect(report.left == 9)
        #expect(report.isStillRunning && !report.isCancelled)
        #expect(problems.entries.map(\.kind) == [.undeliverable])
        #expect(problems.entries.map(\.count) == [9])
        gate.open()
        await onOwnThread { [worker] in _ = worker.join() }
        #expect(heard.entries == [0])
        token.cancel()
    }

    @Test(.rule(29)) func `Deliveries that come without end are dropped and counted, too`()
        async throws
    {
        let center = center
        center.onProblem { [problems] in problems.add($0) }
        let token = center.observe(Ping.self, on: .thread(worker)) { ping in
            for _ in 0..<2 { center.post(Ping(number: ping.number + 1)) }
        }
        center.post(Ping())
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await service(drainingFor: .seconds(240)).run()
        }
        let report = try #require(reports.entries.first)
        #expect(report.left > 0 && report.left == problems.entries.reduce(0) { $0 + $1.count })
        #expect(!report.isStillRunning && !report.isCancelled)
        token.cancel()
    }

    @Test(.rule(29)) func `Cancelling drops what waits, and says how many`() async throws {
        let (gate, entered) = (Gate(), Gate())
        let token = observe(behind: gate, entered: entered)
        for number in 0..<10 { center.post(Ping(number: number)) }
        await onOwnThread { _ = entered.wait() }
        let task = Task { [service = service(drainingFor: .seconds(240))] in
            try await service.run()
        }
        task.cancel()
        // The service ends although the handler does not return.
        await until { reports.entries.count == 1 }
        let report = try #require(reports.entries.first)
        #expect(report.left == 9)
        #expect(report.isCancelled && report.isStillRunning)
        #expect(
            report.description
                == "delivery thread worker: cancelled, 9 dropped, the thread is still running")
        #expect(problems.entries.map(\.count) == [9])
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        await onOwnThread { [worker] in _ = worker.join() }
        #expect(heard.entries == [0])
        token.cancel()
    }

    @Test func `A group ends its thread behind the services that post to it`() async throws {
        let (gate, entered) = (Gate(), Gate())
        let token = observe(behind: gate, entered: entered)
        let poster = PostingService(center: center)
        let group = ServiceGroup(
            services: [service(drainingFor: .seconds(240)), poster],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let run: Void = group.run()
        await poster.started.arrival(of: 1)
        await group.triggerGracefulShutdown()
        await until { !worker.perform {} }
        gate.open()
        try await run
        // Also those that were posted during the shutdown.
        #expect(heard.entries == Array(0..<150))
        #expect(reports.entries.map(\.left) == [0])
        token.cancel()
    }
}

/// Posts a little at first, and more when it is shut down.
private struct PostingService: Service {
    let center: MessageCenter
    let started = Log<Bool>()

    func run() async throws {
        for number in 0..<50 { center.post(Ping(number: number)) }
        started.add(true)
        try await gracefulShutdown()
        for number in 50..<150 { center.post(Ping(number: number)) }
    }
}
#endif
