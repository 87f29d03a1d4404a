// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS && Tracing
import Foundation
import InMemoryTracing
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardTracing
import TestSupport
import Testing
import Tracing

@testable import SwitchyardNATS

private struct Job: DistributedMessage {
    static let name = Notification.Name("job")
    var number = 0
    var text = ""
}

/// An instrument that carries texts with keys that can't be names of headers as they are.
private struct Oddities: Instrument {
    enum Key: ServiceContextKey { typealias Value = [String: String] }

    static let fields = [
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "tracestate": "a=1,b= 2", "With: colon %41": "löng\r\nce-id: 5", "ce-type": "x",
    ]

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        for (key, value) in context[Key.self] ?? [:] {
            injector.inject(value, forKey: key, into: &carrier)
        }
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context[Key.self] = Self.fields.keys.reduce(into: [:]) { fields, key in
            fields[key] = extractor.extract(key: key, from: carrier)
        }
    }
}

/// The oddities, as a tracer, whose spans nobody keeps.
extension Oddities: Tracer {
    typealias Span = NoOpTracer.Span

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> NoOpTracer.Span {
        NoOpTracer().startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
    }

    func forceFlush() {}
}

/// Traces of posts that go to other processes through a server.
@Suite("Traces on NATS", .serialized, .timeLimit(.minutes(5))) struct SpanTests {
    private let tracer = InMemoryTracer()
    private let heard = Log<Int>()
    /// For each handler, the identifier of the trace.
    private let traces = Log<String>()
    private let limit = Duration.seconds(60)

    private func member(_ server: Server, _ tracer: (any Tracer)? = nil) throws -> Member {
        let member = try Member(server)
        member.center.startTracing(tracer: tracer ?? self.tracer)
        return member
    }

    private func hear(_ member: Member) -> ObservationToken {
        member.center.observe(Job.self, on: .poster) { [heard, traces] job in
            // The trace first: the tests wait for the number.
            traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
            heard.add(job.number)
        }
    }

    @Test func `The handler of another process belongs to the trace of the post`() async throws {
        let server = try Server()
        let (near, far) = (try member(server), try member(server))
        let token = hear(near)
        await near.center.waitUntilReady(within: limit)
        try tracer.withSpan("request") { _ in _ = try far.center.post(Job(number: 1)) }
        try far.center.post(Job(number: 2))
        #expect(await heard.arrival(of: 2) == [1, 2])
        await until { tracer.finishedSpans.count == 5 }
        let spans = tracer.finishedSpans
        let request = try #require(spans.first { $0.operationName == "request" })
        let (id, parent) = (request.traceID, request.spanID)
        let posted = try #require(
            spans.first { $0.operationName == "post job" && $0.spanContext.parentSpanID == parent })
        let processed = try #require(
            spans.first { $0.operationName == "process job" && $0.traceID == id })
        #expect(processed.spanContext.parentSpanID == posted.spanID)
        #expect(
            processed.links.compactMap(\.context.inMemorySpanContext?.spanID) == [posted.spanID])
        #expect(traces.entries.first == id && traces.entries.last != id)
        #expect(near.problems.entries == [] && far.problems.entries == [])
        token.cancel()
    }

    @Test func `A process that does not trace hears as before`() async throws {
        let server = try Server()
        let (near, far) = (try Member(server), try member(server))
        let token = hear(near)
        await near.center.waitUntilReady(within: limit)
        try tracer.withSpan("request") { _ in _ = try far.center.post(Job(number: 1)) }
        #expect(await heard.arrival(of: 1) == [1])
        #expect(traces.entries == ["none"])
        token.cancel()
    }

    @Test func `A post that waits for a connection keeps its context`() async throws {
        let server = try Server()
        let (near, far) = (try member(server), try member(server))
        let token = hear(near)
        await near.center.waitUntilReady(within: limit)
        server.end()
        await until { !far.center.isConnected && !near.center.isConnected }
        let id = try tracer.withSpan("request") { span in
            _ = try far.center.post(Job(number: 1))
            return try #require(span.context.inMemorySpanContext?.traceID)
        }
        try server.start()
        #expect(await heard.arrival(of: 1) == [1])
        #expect(traces.entries == [id])
        token.cancel()
    }

    @Test func `A notification that is too long with its context goes without it`() async throws {
        let server = try Server(configuration: "max_payload: 2000\n")
        let (near, far) = (try member(server), try member(server))
        let token = hear(near)
        await near.center.waitUntilReady(within: limit)
        // Each length is heard, until the message is too long without a context, too.
        var length = 0
        while (try? far.center.post(
            Job(number: length, text: String(repeating: "x", count: length))))
            != nil
        {
            length += 10
        }
        #expect(await heard.arrival(of: length / 10) == Array(stride(from: 0, to: length, by: 10)))
        #expect(traces.entries.first != "none" && traces.entries.last == "none")
        #expect(near.losses.entries == [] && length > 1_000)
        token.cancel()
    }

    @Test func `Any keys and texts of a tracer arrive`() async throws {
        let server = try Server()
        let (near, far) = (try member(server, Oddities()), try member(server, Oddities()))
        let carried = Log<[String: String]>()
        let token = near.center.observe(Job.self, on: .poster) { _ in
            carried.add(ServiceContext.current?[Oddities.Key.self] ?? [:])
        }
        await near.center.waitUntilReady(within: limit)
        var context = ServiceContext.topLevel
        context[Oddities.Key.self] = Oddities.fields
        try ServiceContext.withValue(context) { _ = try far.center.post(Job()) }
        // Headers of more than 8 KiB are left out.
        context[Oddities.Key.self] = ["traceparent": String(repeating: "x", count: 9_000)]
        try ServiceContext.withValue(context) { _ = try far.center.post(Job()) }
        #expect(await carried.arrival(of: 2) == [Oddities.fields, [:]])
        token.cancel()
    }

    @Test(arguments: ["ce-traceparent", "traceparent", "Traceparent"])
    func `The trace of a client in another language goes on here`(header: String) async throws {
        let server = try Server()
        let (near, client) = (try member(server, Oddities()), try Member(server))
        let carried = Log<[String: String]>()
        let token = near.center.observe(Notification.Name("job"), on: .poster) { _ in
            carried.add(ServiceContext.current?[Oddities.Key.self] ?? [:])
        }
        await near.center.waitUntilReady(within: limit)
        let headers = [
            (header, "00-1-2-01"), ("tracestate", "v=100%, w=a%41"),
            ("switchyard-context-tracestate", "x"),
        ]
        try client.publish("{}", to: "switchyard.default.-.job", headers)
        // Texts of other publishers are not escaped, but for those that CloudEvents has.
        let state = "v=100%, w=a%41"
        #expect(
            await carried.arrival(of: 1) == [["traceparent": "00-1-2-01", "tracestate": state]])
        token.cancel()
    }

    @Test(arguments: [false, true])
    func `A durable handler belongs to the trace of the post`(isAsync: Bool) async throws {
        let server = try Server(["-js"])
        let (near, far) = (try member(server), try member(server))
        let token =
            isAsync
            ? try near.center.observe(durable: "d", Job.name) { [traces] _ async in
                await Task.yield()
                traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
            }
            : try near.center.observe(durable: "d", Job.name, on: .poster) { [traces] note in
                traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
                // A refused notification comes again with its context.
                if note.deliveryCount == 1 { throw CancellationError() }
            }
        let id = try tracer.withSpan("request") { span in
            _ = try far.center.post(Job(number: 1))
            return try #require(span.context.inMemorySpanContext?.traceID)
        }
        let calls = isAsync ? 1 : 2
        #expect(await traces.arrival(of: calls) == Array(repeating: id, count: calls))
        await until {
            tracer.finishedSpans.filter { $0.operationName == "process job" }.count == calls
        }
        let first = try #require(tracer.finishedSpans.first { $0.operationName == "process job" })
        #expect(first.errors.isEmpty == isAsync)
        token.cancel()
    }

    @Test(arguments: [false, true])
    func `A durable handler has a span where all have one, also of a post without a trace`(
        isAsync: Bool
    ) async throws {
        let server = try Server(["-js"])
        // The poster does not trace, so its notifications have no context.
        let (near, far) = (try Member(server), try Member(server))
        near.center.startTracing(spans: .everywhere, tracer: tracer)
        let token =
            isAsync
            ? try near.center.observe(durable: "d", Job.name) { [heard] _ async in
                await Task.yield()
                heard.add(1)
            }
            : try near.center.observe(durable: "d", Job.name, on: .poster) { [heard] _ in
                heard.add(1)
            }
        _ = try far.center.post(Job(number: 1))
        #expect(await heard.arrival(of: 1) == [1])
        await until { tracer.finishedSpans.contains { $0.operationName == "process job" } }
        token.cancel()
    }
}
#endif
