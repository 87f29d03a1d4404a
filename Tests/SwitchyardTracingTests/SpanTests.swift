// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Tracing
import InMemoryTracing
import Switchyard
import SwitchyardTesting
import SwitchyardTracing
import TestSupport
import Testing
import Tracing

private struct Bad: Error {}

@Suite("Spans of posts and handlers") struct SpanTests {
    private let center = Switchyard.NotificationCenter()
    private let tracer = InMemoryTracer()

    private func post(_ name: String) { center.post(name: .init(name), object: nil) }

    @Test func `A handler on the posting thread is a child of the post`() throws {
        center.startTracing(spans: .everywhere, tracer: tracer)
        let token = center.observe(.init("saved")) { [tracer] _ in
            tracer.withSpan("index") { _ in }
        }
        tracer.withSpan("request") { _ in post("saved") }
        let request = try #require(tracer.span("request"))
        let posted = try #require(tracer.span("post saved"))
        let processed = try #require(tracer.span("process saved"))
        #expect(posted.kind == .producer && processed.kind == .consumer)
        #expect(posted.parent == request.spanID)
        #expect(processed.parent == posted.spanID)
        #expect(processed.linked == [])
        // What the handler does belongs to its span.
        #expect(tracer.span("index")?.parent == processed.spanID)
        #expect(posted.attributes.get("messaging.destination.name") == "saved")
        #expect(posted.attributes.get("messaging.system") == "switchyard")
        #expect(posted.attributes.get("messaging.operation.name") == "post")
        #expect(processed.attributes.get("messaging.operation.name") == "process")
        #expect(Set(tracer.finishedSpans.map(\.traceID)).count == 1)
        token.cancel()
    }

    @Test func `A handler elsewhere has a link to the post`() throws {
        center.startTracing(spans: .everywhere, tracer: tracer)
        let mailbox = ManualMailbox()
        let token = center.observe(.init("saved"), on: mailbox.context) { _ in }
        post("saved")
        let posted = try #require(tracer.span("post saved"))
        #expect(tracer.span("process saved") == nil)
        mailbox.drain()
        let processed = try #require(tracer.span("process saved"))
        #expect(processed.linked == [posted.spanID])
        #expect(processed.traceID == posted.traceID)
        token.cancel()
    }

    @Test func `A notification that is no message for an observer is no error of its handler`()
        throws
    {
        struct Saved: Switchyard.NotificationCenter.AsyncMessage {
            typealias Subject = ManualMailbox
            static let name = Notification.Name("saved")
            static func makeMessage(_ notification: Notification) -> Saved? { nil }
        }
        center.startTracing(spans: .everywhere, tracer: tracer)
        let mailbox = ManualMailbox()
        let tokens = [
            center.observe(Saved.self) { (_: Saved) in },
            center.observe(Saved.self, on: mailbox.context) { (_: Saved) in },
        ]
        post("saved")
        mailbox.drain()
        let processed = tracer.finishedSpans.filter { $0.operationName == "process saved" }
        #expect(processed.map(\.errors.count) == [0, 0])
        for token in tokens { token.cancel() }
    }

    @Test func `A post inside a handler is a child of that handler's span`() throws {
        center.startTracing(spans: .everywhere, tracer: tracer)
        let (center, mailbox) = (center, ManualMailbox())
        let tokens = [
            center.observe(.init("outer"), on: mailbox.context) { _ in
                center.post(name: .init("inner"), object: nil)
            },
            center.observe(.init("inner")) { _ in },
        ]
        post("outer")
        mailbox.drain()
        let outer = try #require(tracer.span("process outer"))
        #expect(tracer.span("post inner")?.parent == outer.spanID)
        for token in tokens { token.cancel() }
    }

    @Test func `A handler that throws has the error in its span`() throws {
        center.startTracing(spans: .everywhere, tracer: tracer)
        center.onProblem { _ in }
        let mailbox = ManualMailbox()
        let tokens = [
            center.observe(.init("here")) { _ in throw Bad() },
            center.observe(.init("there"), on: mailbox.context) { _ in throw Bad() },
        ]
        post("here")
        post("there")
        mailbox.drain()
        for name in ["process here", "process there"] {
            let span = try #require(tracer.span(name))
            #expect(span.errors.count == 1)
            #expect(span.status?.code == .error)
            #expect(span.attributes.get("error.type") == "SwitchyardTracingTests.Bad")
        }
        for token in tokens { token.cancel() }
    }

    @Test func `In one process there are no spans unless they are asked for`() {
        center.startTracing(tracer: tracer)
        let token = center.observe(.init("saved")) { _ in }
        post("saved")
        #expect(tracer.finishedSpans.isEmpty)
        token.cancel()
    }

    @Test func `A post that nobody observes has no span`() {
        center.startTracing(spans: .everywhere, tracer: tracer)
        post("unheard")
        #expect(tracer.finishedSpans.isEmpty && tracer.activeSpans.isEmpty)
    }
}
#endif
