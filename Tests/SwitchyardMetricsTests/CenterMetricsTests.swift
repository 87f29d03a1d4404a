// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
import CoreMetrics
import MetricsTestKit
import Switchyard
import SwitchyardCore
import SwitchyardMetrics
import SwitchyardTesting
import TestSupport
import Testing

private struct Ping: NotificationMessage { var number = 0 }
private struct Pong: NotificationMessage {}
private struct Bad: Error {}

@Suite("Metrics of centers", .timeLimit(.minutes(5))) struct CenterMetricsTests {
    private let center = MessageCenter()
    private let backend = TestMetrics()
    private let mailbox: ManualMailbox
    private let metrics: CenterMetrics
    private let clock = ManualClock()
    private let context: String

    init() {
        // Other tests have centers, too.
        let name = "metrics \(UUID())"
        center.engine.setName(name)
        context = name
        mailbox = ManualMailbox(label: name, highWaterMark: 100_000)
        metrics = CenterMetrics(
            every: .seconds(1), sampling: .off, clock: clock, factory: backend,
            ofCentersNamed: { $0 == name })
    }

    private func attributes(
        of type: Any.Type? = nil, _ more: (String, String)...
    ) -> [(String, String)] {
        [("messaging.system", "switchyard")]
            + (type.map { [("messaging.destination.name", TypeName.of($0))] } ?? []) + more
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) -> Int64 {
        // Attributes of a call of a handler, which OpenTelemetry's metrics name.
        let isCall = label.hasPrefix("messaging")
        let operation = isCall ? [("messaging.operation.name", "process")] : []
        return backend.counterTotal(
            label: label,
            dimensions: dimensions.prefix(1) + operation + dimensions.dropFirst())
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) throws -> Double? {
        try backend.expectGauge(label, dimensions).lastValue
    }

    @Test(.rule(33)) func `Deliveries through a mailbox are counted once, and what waits is seen`()
        async throws
    {
        let token = center.observe(Ping.self, on: mailbox.context, options: .queued) { _ in }
        for number in 0..<5 { center.post(Ping(number: number)) }
        mailbox.drain(atMost: 3)
        await metrics.read()
        let consumed = "messaging.client.consumed.messages"
        #expect(count(consumed, attributes(of: Ping.self)) == 3)
        let depth = attributes(("switchyard.context", context))
        #expect(try gauge("switchyard.mailbox.depth", depth) == 2)
        #expect(try gauge("switchyard.registrations", attributes(of: Ping.self)) == 1)
        mailbox.drain()
        await metrics.read()
        await metrics.read()
        #expect(count(consumed, attributes(of: Ping.self)) == 5)
        #expect(try gauge("switchyard.mailbox.depth", depth) == 0)
        token.cancel()
        await metrics.read()
        #expect(try gauge("switchyard.registrations", attributes(of: Ping.self)) == 0)
    }

    @Test(.rule(33)) func `Metrics that are created later count from then on`() async {
        let token = center.observe(
            Ping.self, on: mailbox.context, options: .queued.bounded(.dropNewest(above: 2))
        ) { _ in }
        for number in 0..<5 { center.post(Ping(number: number)) }
        mailbox.drain()
        await metrics.read()
        let (second, name) = (TestMetrics(), context)
        let later = CenterMetrics(
            every: .seconds(1), sampling: .off, clock: clock, factory: second,
            ofCentersNamed: { $0 == name })
        center.post(Ping())
        mailbox.drain()
        await later.read()
        #expect(second.counterTotal(label: "switchyard.deliveries.lost") == 0)
        #expect(second.counterTotal(label: "messaging.client.consumed.messages") == 1)
        token.cancel()
    }

    @Test(.rule(33)) func `Contexts that nobody has named are one, whatever their addresses`()
        async throws
    {
        let queues = (0..<2).map { _ in OperationQueue() }
        for queue in queues { queue.isSuspended = true }
        let tokens = queues.map { center.observe(Ping.self, on: .operationQueue($0)) { _ in } }
        center.post(Ping())
        await metrics.read()
        let depths = backend.recorders(label: "switchyard.mailbox.depth")
        let names = Set(depths.map { $0.dimensions.last?.1 ?? "" })
        #expect(names.count == 1 && names.allSatisfy { !$0.contains("0x") })
        let depth = attributes(("switchyard.context", names.first ?? ""))
        #expect(try gauge("switchyard.mailbox.depth", depth) == 2)
        for token in tokens { token.cancel() }
        for queue in queues { queue.isSuspended = false }
    }

    @Test(.rule(33)) func `Deliveries on the posting thread are counted if the center counts them`()
        async
    {
        let token = center.observe(Ping.self) { _ in }
        center.post(Ping())
        center.collectsStatistics = true
        center.post(Ping())
        center.post(Ping())
        await metrics.read()
        #expect(count("messaging.client.consumed.messages", attributes(of: Ping.self)) == 2)
        token.cancel()
    }

    @Test(.rule(28)) func `Losses are counted by their reason`() async {
        center.onProblem { _ in }
        let token = center.observe(
            Ping.self, on: mailbox.context, options: .queued.bounded(.dropNewest(above: 2))
        ) { _ in }
        for number in 0..<5 { center.post(Ping(number: number)) }
        mailbox.close()
        await metrics.read()
        let lost = "switchyard.deliveries.lost"
        // With the same attributes, whatever is known: some backends take no others.
        let bound = attributes(
            of: Ping.self, ("switchyard.context", ""), ("error.type", "bound"))
        #expect(count(lost, bound) == 3)
        let ended = attributes(
            ("messaging.destination.name", ""), ("switchyard.context", context),
            ("error.type", "undeliverable"))
        #expect(count(lost, ended) == 2)
        token.cancel()
    }

    @Test(.rule(31)) func `Errors of handlers are counted by their type`() async {
        center.onProblem { _ in }
        let token = center.observe(Pong.self) { _ in throw Bad() }
        center.post(Pong())
        center.post(Pong())
        await metrics.read()
        // Without the address that the runtime's own name of a private type has.
        let type = ("error.type", "SwitchyardMetricsTests.Bad")
        #expect(count("switchyard.handler.errors", attributes(of: Pong.self, type)) == 2)
        token.cancel()
    }

    @Test func `Beyond 200 names, destinations are one`() async throws {
        let named = Switchyard.NotificationCenter()
        named.engine.setName(context)
        let tokens = (0..<250).map { number in
            named.observe(Notification.Name("name \(number)")) { _ in }
        }
        await metrics.read()
        let gauges = backend.recorders(label: "switchyard.registrations")
        #expect(gauges.count == 201)
        let other = attributes(("messaging.destination.name", "_OTHER"))
        #expect(try gauge("switchyard.registrations", other) == 50)
        // A name is without its quotation marks.
        let first = attributes(("messaging.destination.name", "name 0"))
        #expect(try gauge("switchyard.registrations", first) == 1)
        for token in tokens { token.cancel() }
    }

    @Test func `A destination without figures for long leaves its place to a new one`() async {
        let named = Switchyard.NotificationCenter()
        named.engine.setName(context)
        func observe(_ name: String) -> ObservationToken {
            named.observe(Notification.Name(name)) { _ in }
        }
        var tokens = (0..<200).map { observe("early \($0)") }
        await metrics.read()
        for token in tokens.dropFirst() { token.cancel() }
        tokens = [tokens[0], observe("late")]
        /// The destinations for which the backend has a metric.
        func destinations() -> Set<String> {
            Set(
                backend.recorders(label: "switchyard.registrations")
                    .compactMap { $0.dimensions.last?.1 })
        }
        await metrics.read()
        #expect(destinations().contains("_OTHER") && !destinations().contains("late"))
        for _ in 0..<3_600 { await metrics.read() }
        #expect(destinations().isSuperset(of: ["early 0", "late", "_OTHER"]))
        #expect(destinations().count == 201)
        for token in tokens { token.cancel() }
    }

    @Test func `Figures are read at once, at each interval, and at the end`() async throws {
        let token = center.observe(Ping.self, on: mailbox.context, options: .queued) { _ in }
        let running = Task { try await metrics.run() }
        let label = "messaging.client.consumed.messages"
        for number in 1...3 {
            try await clock.waitForSleepers()
            center.post(Ping())
            mailbox.drain()
            if number == 3 { break }
            clock.advance(by: .seconds(1))
            await until { count(label, attributes(of: Ping.self)) == number }
            #expect(count(label, attributes(of: Ping.self)) == number)
        }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(count(label, attributes(of: Ping.self)) == 3)
        token.cancel()
    }
}
#endif
