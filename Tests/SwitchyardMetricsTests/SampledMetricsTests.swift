// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
import CoreMetrics
import Foundation
import MetricsTestKit
import SwitchyardCore
import SwitchyardMetrics
import SwitchyardTesting
import TestSupport
import Testing

private struct Tick: NotificationMessage {}
private struct Inner: NotificationMessage {}

@Suite("Metrics of sampled posts", .decidesSampling, .timeLimit(.minutes(5)))
struct SampledMetricsTests {
    private let center = MessageCenter()
    private let backend = TestMetrics()

    private func metrics(oneIn interval: Int) -> CenterMetrics {
        let name = "sampled metrics \(UUID())"
        center.engine.setName(name)
        return CenterMetrics(
            every: .seconds(1), sampling: .oneIn(interval), clock: ManualClock(),
            factory: backend, ofCentersNamed: { $0 == name })
    }

    private func attributes(of type: Any.Type, operation: String?) -> [(String, String)] {
        [("messaging.system", "switchyard")]
            + (operation.map { [("messaging.operation.name", $0)] } ?? [])
            + [("messaging.destination.name", TypeName.of(type))]
    }

    private func count(_ label: String, of type: Any.Type) -> Int64 {
        let operation = label.contains("sent") ? "post" : "process"
        return backend.counterTotal(
            label: label, dimensions: attributes(of: type, operation: operation))
    }

    @Test func `Posts are counted, and what handlers on the posting thread hear`() async throws {
        let center = center
        let metrics = metrics(oneIn: 1)
        let tokens = [
            center.observe(Tick.self) { _ in center.post(Inner()) },
            center.observe(Tick.self) { _ in },
            center.observe(Inner.self) { _ in },
        ]
        for _ in 0..<10 { center.post(Tick()) }
        await metrics.read()
        #expect(count("messaging.client.sent.messages", of: Tick.self) == 10)
        #expect(count("messaging.client.sent.messages", of: Inner.self) == 10)
        #expect(count("messaging.client.consumed.messages", of: Tick.self) == 20)
        #expect(count("messaging.client.consumed.messages", of: Inner.self) == 10)
        let durations = try backend.expectTimer(
            "messaging.process.duration", attributes(of: Tick.self, operation: "process"))
        #expect(durations.values.count == 20)
        for token in tokens { token.cancel() }
    }

    @Test func `A sampled post stands for those that are not`() async {
        // On a thread of its own, whose posts are counted from the first.
        let metrics = metrics(oneIn: 10)
        let token = center.observe(Tick.self) { _ in }
        await onOwnThread { [center] in for _ in 0..<100 { center.post(Tick()) } }
        await metrics.read()
        // The posts after the last one that is sampled are not known yet.
        let sent = count("messaging.client.sent.messages", of: Tick.self)
        #expect((91...100).contains(sent))
        #expect(count("messaging.client.consumed.messages", of: Tick.self) == sent)
        token.cancel()
    }

    @Test func `A delivery that waits has its time, and is not counted twice`() async throws {
        let metrics = metrics(oneIn: 1)
        let mailbox = ManualMailbox()
        let token = center.observe(Tick.self, on: mailbox.context, options: .queued) { _ in }
        for _ in 0..<3 { center.post(Tick()) }
        // Deliveries are read in a later reading than their posts.
        await metrics.read()
        mailbox.drain()
        await metrics.read()
        #expect(count("messaging.client.sent.messages", of: Tick.self) == 3)
        #expect(count("messaging.client.consumed.messages", of: Tick.self) == 3)
        let waits = try backend.expectTimer(
            "switchyard.delivery.wait.duration", attributes(of: Tick.self, operation: nil))
        #expect(waits.values.count == 3)
        token.cancel()
    }

    @Test func `Nothing is traced when the metrics have gone`() async {
        do {
            let metrics = metrics(oneIn: 1)
            await metrics.read()
            #expect(TraceSampling.isOn)
        }
        await until { !TraceSampling.isOn }
        #expect(!TraceSampling.isOn)
    }
}
#endif
