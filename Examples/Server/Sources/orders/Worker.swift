// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CoreMetrics
import Foundation
import InMemoryTracing
import Logging
import MetricsTestKit
import ServiceLifecycle
import Switchyard
import SwitchyardDistributed
import SwitchyardLifecycle
import SwitchyardLogging
import SwitchyardMetrics
import SwitchyardTracing
import Tracing
import UnixSignals

/// The process that packs orders, on a thread of its own.
enum Worker {
    static func run(domain: String) async throws {
        // A server bootstraps its exporters here.
        let (tracer, backend) = (SpanLine.makeTracer(), TestMetrics())
        InstrumentationSystem.bootstrap(tracer)
        MetricsSystem.bootstrap(backend)
        let logger = Logger(label: "orders") { _ in PlainLog(process: "worker") }

        let center = try DistributedNotificationCenter(domain: domain)
        center.startTracing()
        center.logProblems(to: logger)
        let packer = DeliveryThread(name: "packer")
        let token = center.observe(OrderPlaced.self, on: .thread(packer)) { [weak center] order in
            if order.number == 0 { throw SoldOut() }
            try withSpan("pack") { _ in _ = try center?.post(OrderPacked(number: order.number)) }
        }
        await center.waitUntilReady(within: .seconds(30))
        print("ready")
        fflush(nil)

        let group = ServiceGroup(
            services: [
                MetricsService(), DistributedCenterService(center) { logger.info("\($0.summary)") },
                DeliveryThreadService(packer) { logger.info("\($0)") },
            ],
            gracefulShutdownSignals: [.sigterm],
            logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
        token.cancel()
        for counter in backend.counters.sorted(by: { $0.label < $1.label }) {
            let known = ["messaging.system", "messaging.operation.name"]
            let dimensions = counter.dimensions.filter { !known.contains($0.0) }
                .map { "\($0.0)=\($0.1)" }.joined(separator: " ")
            print("worker: \(counter.label) \(counter.totalValue) \(dimensions)")
        }
        for span in tracer.finishedSpans { print(SpanLine(span, of: "worker").text) }
    }
}

/// Reads metrics until the shutdown.
private struct MetricsService: Service {
    func run() async throws {
        let metrics = CenterMetrics()
        try? await cancelWhenGracefulShutdown { try await metrics.run() }
    }
}

extension DrainReport {
    /// The outcome without the process's number.
    fileprivate var summary: String {
        "distributed center: " + (left == 0 ? "nothing was left" : "\(left) dropped")
    }
}
