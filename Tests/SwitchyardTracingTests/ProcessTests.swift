// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
import Foundation
import InMemoryTracing
import SwitchyardDistributed
import SwitchyardDistributedTesting
import SwitchyardTesting
import SwitchyardTracing
import TestSupport
import Testing
import Tracing

private struct Job: DistributedMessage {
    static let name = Notification.Name("job")
    var number: Int
    var text = String(repeating: "x", count: 1000)
}

private struct Square: DistributedRequest {
    static let name = Notification.Name("square")
    typealias Reply = Int
    var number = 0
}

@Suite("Traces between processes", .timeLimit(.minutes(5))) struct ProcessTests {
    private let network = InMemoryNetwork()
    private let heard = Log<Int>()
    /// For each handler, the number in the message, and that of the trace.
    private let traces = Log<String>()
    private let tracer = InMemoryTracer()

    /// A poster and a hearer that know each other.
    private func centers(
        _ limits: DistributedLimits = DistributedLimits()
    ) async throws -> (
        far: DistributedNotificationCenter, near: DistributedNotificationCenter, ObservationToken
    ) {
        let far = try network.center(named: "far", limits: limits)
        let near = try network.center(named: "near")
        let token = near.observe(Job.self, on: .poster) { [heard, traces] job in
            // The trace first: tests wait for what was heard.
            traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
            heard.add(job.number)
        }
        await until { near.peers.count == 1 && far.peers.count == 1 }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        return (far, near, token)
    }

    @Test func `The handler of another process belongs to the trace of the post`() async throws {
        let (far, near, token) = try await centers()
        far.startTracing(tracer: tracer)
        near.startTracing(tracer: tracer)
        try tracer.withSpan("request") { _ in _ = try far.post(Job(number: 1)) }
        await heard.arrival(of: 1)
        await until { tracer.span("process job") != nil }
        let request = try #require(tracer.span("request"))
        let posted = try #require(tracer.span("post job"))
        let processed = try #require(tracer.span("process job"))
        #expect(posted.parent == request.spanID)
        #expect(posted.kind == .producer && processed.kind == .consumer)
        #expect(processed.linked == [posted.spanID])
        #expect(processed.traceID == request.traceID)
        #expect(traces.entries == [request.traceID])
        token.cancel()
    }

    @Test func `A request and its answer belong to the trace of the one who asks`() async throws {
        let (far, near, token) = try await centers()
        let answers = near.answer(Square.self, on: .poster) { [traces] request in
            traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
            return request.number * request.number
        }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        far.startTracing(tracer: tracer)
        near.startTracing(tracer: tracer)
        let nine = try await tracer.withSpan("request") { _ in
            try await far.request(Square(number: 3), within: .seconds(240))
        }
        #expect(nine == 9)
        await until { tracer.span("process square") != nil }
        let request = try #require(tracer.span("request"))
        let posted = try #require(tracer.span("post square"))
        let processed = try #require(tracer.span("process square"))
        #expect(posted.parent == request.spanID && processed.parent == posted.spanID)
        #expect(processed.linked == [posted.spanID])
        #expect(traces.entries == [request.traceID])
        #expect(tracer.finishedSpans.count == 3)
        for token in [token, answers] { token.cancel() }
    }

    @Test func `A request that is answered here and elsewhere has one span of a post`()
        async throws
    {
        let (far, near, token) = try await centers()
        let answers = [far, near].map { center in
            center.answer(Square.self, on: .poster) { $0.number * $0.number }
        }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        for center in [far, near] { center.startTracing(spans: .everywhere, tracer: tracer) }
        let nines = try await tracer.withSpan("request") { _ in
            try await far.request(Square(number: 3), .all, within: .seconds(240))
        }
        #expect(nines == [9, 9])
        await until { tracer.finishedSpans.count >= 4 }
        let request = try #require(tracer.span("request"))
        let posted = try #require(tracer.span("post square"))
        #expect(posted.parent == request.spanID)
        let processed = tracer.finishedSpans.filter { $0.operationName == "process square" }
        #expect(processed.map(\.parent) == [posted.spanID, posted.spanID])
        // The one in the other process has a link.
        #expect(processed.flatMap(\.linked) == [posted.spanID])
        for token in [token] + answers { token.cancel() }
    }

    @Test func `A post or request that no other process hears has no span`() async throws {
        let (far, near, token) = try await centers()
        far.startTracing(tracer: tracer)
        let own = far.answer(Square.self, on: .poster) { $0.number * $0.number }
        far.post(name: Notification.Name("unheard"), object: nil)
        #expect(try await far.request(Square(number: 3), .all, within: .seconds(240)) == [9])
        #expect(tracer.finishedSpans.isEmpty && tracer.activeSpans.isEmpty)
        try far.post(Job(number: 1))
        #expect(await heard.arrival(of: 1) == [1])
        #expect(tracer.finishedSpans.map(\.operationName) == ["post job"])
        withExtendedLifetime(near) { for token in [token, own] { token.cancel() } }
    }

    @Test func `A job of a group belongs to the trace of the post`() async throws {
        let (far, near, token) = try await centers()
        token.cancel()
        let member = near.observe(Job.self, on: .poster, options: .inGroup("workers")) {
            [heard, traces] job in
            // The trace first: tests wait for what was heard.
            traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
            heard.add(job.number)
        }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        far.startTracing(tracer: tracer)
        near.startTracing(tracer: tracer)
        try tracer.withSpan("request") { _ in _ = try far.post(Job(number: 1)) }
        #expect(await heard.arrival(of: 1) == [1])
        await until { tracer.span("process job") != nil }
        let request = try #require(tracer.span("request"))
        #expect(tracer.span("process job")?.parent == tracer.span("post job")?.spanID)
        #expect(traces.entries == [request.traceID] && tracer.finishedSpans.count == 3)
        member.cancel()
    }

    @Test func `A hearer that does not trace hears as before`() async throws {
        let (far, near, token) = try await centers()
        far.startTracing(tracer: tracer)
        for number in 0..<10 { try far.post(Job(number: number)) }
        #expect(await heard.arrival(of: 10) == Array(0..<10))
        #expect(traces.entries == Array(repeating: "none", count: 10))
        #expect(far.peers.first?.lost == 0)
        withExtendedLifetime(near) { token.cancel() }
    }

    @Test func `A poster that does not trace brings no context`() async throws {
        let (far, near, token) = try await centers()
        near.startTracing(tracer: tracer)
        try tracer.withSpan("request") { _ in _ = try far.post(Job(number: 1)) }
        await heard.arrival(of: 1)
        #expect(traces.entries == ["none"])
        token.cancel()
        withExtendedLifetime(far) {}
    }

    @Test(arguments: [DistributedLimits.Overflow.dropOldest, .dropNewest, .keepLatest])
    func `Each notification keeps its own context when others are dropped`(
        overflow: DistributedLimits.Overflow
    ) async throws {
        let (far, near, token) = try await centers(
            DistributedLimits(queueBytes: 50_000, overflow: overflow))
        far.onProblem { _ in }
        far.onLoss { _ in }
        near.onLoss { _ in }
        far.startTracing(tracer: tracer)
        near.startTracing(tracer: tracer)
        network.hold(from: "far", to: "near")
        var expected: [String] = []
        for number in 0..<600 {
            try tracer.withSpan("request") { span in
                expected.append(span.context.inMemorySpanContext?.traceID ?? "")
                _ = try far.post(Job(number: number))
            }
        }
        network.release(from: "far", to: "near")
        // The last, with nothing before it in the way.
        await far.waitUntilFlushed(within: .seconds(120))
        try tracer.withSpan("request") { span in
            expected.append(span.context.inMemorySpanContext?.traceID ?? "")
            _ = try far.post(Job(number: 600))
        }
        await until { heard.entries.last == 600 }
        let numbers = heard.entries
        #expect(numbers.count < 601 && numbers.last == 600)
        #expect(traces.entries == numbers.map { expected[$0] })
        token.cancel()
    }

    @Test func `A post that is traced nowhere else has no span of a post where it arrives`()
        async throws
    {
        let (near, far) = (
            try network.center(named: "near"), try network.center(named: "far")
        )
        near.startTracing(spans: .everywhere, tracer: tracer)
        let mailbox = ManualMailbox()
        let tokens = [
            near.observe(Job.self, on: .poster) { _ in },
            near.observe(Job.self, on: mailbox.context) { _ in },
        ]
        await near.waitUntilReady(within: .seconds(120))
        try far.post(Job(number: 1))
        try far.post(Job(number: 2))
        await until { mailbox.depth == 2 }
        mailbox.drain()
        #expect(tracer.finishedSpans.count == 4)
        #expect(tracer.finishedSpans.allSatisfy { $0.operationName == "process job" })
        #expect(tracer.finishedSpans.allSatisfy { $0.parent == nil && $0.linked == [] })
        for token in tokens { token.cancel() }
    }

    @Test func `A post for members and others has one span, wherever they hear it`() async throws {
        let (far, near, token) = try await centers()
        let members = [far, near].map { center in
            center.observe(Job.self, on: .poster, options: .inGroup("workers")) { [heard] job in
                heard.add(job.number)
            }
        }
        let plain = far.observe(Job.self, on: .poster) { [heard] job in heard.add(job.number) }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        // So that the poster's own member is chosen.
        near.suspended = true
        #expect(await far.waitUntilReady(within: .seconds(30)).isEmpty)
        far.startTracing(spans: .everywhere, tracer: tracer)
        try far.post(Job(number: 1))
        #expect(await heard.arrival(of: 2) == [1, 1])
        await until { tracer.finishedSpans.count >= 3 }
        let posted = tracer.finishedSpans.filter { $0.operationName == "post job" }
        #expect(posted.count == 1)
        let handled = tracer.finishedSpans.filter { $0.operationName == "process job" }
        #expect(handled.allSatisfy { $0.parent == posted.first?.spanID })
        for token in members + [plain, token] { token.cancel() }
    }

    @Test func `A job that another process does not want takes its trace to the next one`()
        async throws
    {
        let (far, near, token) = try await centers()
        token.cancel()
        let third = try network.center(named: "third")
        let isAsked = Log<String>()
        let members = [
            near.observe(
                Job.self, on: .poster,
                options: .where { (job: Job) in
                    isAsked.add("near")
                    return false
                }.inGroup("workers")
            ) { _ in },
            third.observe(
                Job.self, on: .poster,
                options: .where { (job: Job) in isAsked.entries.contains("near") }
                    .inGroup("workers")
            ) { [heard, traces] job in
                // The trace first: tests wait for what was heard.
                traces.add(ServiceContext.current?.inMemorySpanContext?.traceID ?? "none")
                heard.add(job.number)
            },
        ]
        for center in [far, near, third] {
            #expect(await center.waitUntilReady(within: .seconds(30)).isEmpty)
        }
        for center in [far, near, third] { center.startTracing(tracer: tracer) }
        func post(_ number: Int) throws {
            try tracer.withSpan("request") { _ in _ = try far.post(Job(number: number)) }
        }
        // The first may be asked of the third process first, which does not want it then.
        try post(0)
        #expect(await until { isAsked.entries.contains("near") })
        for number in 1..<5 { try post(number) }
        #expect(await until { heard.entries.filter { $0 > 0 }.count == 4 })
        #expect(!traces.entries.contains("none"))
        for token in members { token.cancel() }
    }

    @Test func `Local handlers of a distributed center are children of its post`() throws {
        let center = try network.center(named: "alone")
        center.startTracing(spans: .everywhere, tracer: tracer)
        let token = center.observe(Job.self, on: .poster) { _ in }
        try center.post(Job(number: 1))
        let posted = try #require(tracer.span("post job"))
        #expect(tracer.span("process job")?.parent == posted.spanID)
        #expect(tracer.finishedSpans.count == 2)
        token.cancel()
    }
}
#endif
