// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import InMemoryTracing
import Logging
import Switchyard
import SwitchyardDistributed
import SwitchyardLogging
import SwitchyardTracing
import Tracing

/// The process that takes orders. It starts the worker, serves a request, and prints the trace.
enum Front {
    static func run() async throws {
        let tracer = SpanLine.makeTracer()
        InstrumentationSystem.bootstrap(tracer)
        let domain = "org.example.orders.\(ProcessInfo.processInfo.processIdentifier)"
        let center = try DistributedNotificationCenter(domain: domain)
        center.startTracing()
        center.logProblems(to: Logger(label: "orders") { _ in PlainLog(process: "front") })

        let worker = try WorkerProcess(domain: domain)
        let packed = center.stream(OrderPacked.self, buffering: .unbounded)
        await worker.isReady()
        await center.waitUntilReady(within: .seconds(30))

        try await withSpan("POST /orders/7", ofKind: .server) { _ in
            try center.post(OrderPlaced(number: 7))
            for await case .message(let order) in packed {
                print("front: order \(order.number) is packed")
                break
            }
        }
        // The worker has none of these: its handler throws.
        try center.post(OrderPlaced(number: 0))
        await center.waitUntilFlushed(within: .seconds(30))

        // The worker packs what waits, then ends.
        let lines = await worker.end()
        for line in lines where SpanLine(line) == nil { print(line) }
        let spans =
            tracer.finishedSpans.map { SpanLine($0, of: "front") }
            + lines.compactMap { SpanLine($0) }
        print("\nThe trace of the request:\n")
        let request = spans.first { $0.name == "POST /orders/7" }
        SpanLine.printTree(spans.filter { $0.trace == request?.trace })
    }
}
