// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
import SwitchyardCore
import SwitchyardGLib
import TestSupport
import Testing

private struct Ping: NotificationMessage { var number = 0 }

@Suite("The end of GLib's main contexts", .timeLimit(.minutes(5))) struct GLibEndTests {
    private let center = MessageCenter()
    private let problems = Log<DeliveryProblem>()
    private let heard = Log<Int>()

    init() { center.onProblem { [problems] in problems.add($0) } }

    private func observe(_ context: GLibContext) -> ObservationToken {
        center.observe(Ping.self, on: .glib(context)) { [heard] in heard.add($0.number) }
    }

    @Test(.rule(29))
    func `Mail that waits when a context ends is reported, and so are later posts`() {
        var token: ObservationToken?
        do {
            let context = ContextByHand()
            token = observe(context.context)
            for number in 0..<3 { #expect(center.postAndReport(Ping(number: number)).queued == 1) }
        }
        #expect(problems.entries.map(\.kind) == [.undeliverable])
        #expect(problems.entries.map(\.count) == [3])
        #expect(problems.entries[0].description.contains("GLib main context"))
        let receipt = center.postAndReport(Ping())
        #expect(receipt.undeliverable == 1 && receipt.queued == 0)
        #expect(heard.entries.isEmpty)
        token?.cancel()
    }

    @Test(.rule(29)) func `A context ends with its thread, also if the thread never popped it`()
        async
    {
        let (center, heard) = (center, heard)
        let token = await onOwnThread {
            ContextByHand().pushForEver()
            let token = center.observe(
                Ping.self, on: .glib(.threadDefault), options: .queued,
                using: { heard.add($0.number) })
            center.post(Ping())
            return token
        }
        await problems.arrival(of: 1)
        #expect(problems.entries.map(\.count) == [1])
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }

    @Test(.rule(29)) func `A closed context reports what waits, and its loop goes on`() async {
        let loop = RunningLoop()
        defer { loop.stop() }
        let (entered, gate, context) = (Gate(), Gate(), loop.context)
        let token = observe(context)
        loop.perform {
            entered.open()
            gate.wait()
        }
        await onOwnThread { _ = entered.wait() }
        for number in 0..<2 { center.post(Ping(number: number)) }
        #expect(!context.isClosed)
        context.close()
        context.close()
        #expect(context.isClosed && loop.context.isClosed)
        #expect(problems.entries.map(\.count) == [2])
        gate.open()
        await loop.performAndWait {}
        #expect(heard.entries.isEmpty)
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }

    @Test(.rule(29)) func `A handler may close the context that it runs on`() {
        let (context, heard) = (ContextByHand(), heard)
        let token = center.observe(Ping.self, on: .glib(context.context)) { ping in
            context.context.close()
            heard.add(ping.number)
        }
        for number in 0..<3 { center.post(Ping(number: number)) }
        while context.turn() {}
        #expect(heard.entries == [0])
        #expect(problems.entries.map(\.count) == [2])
        token.cancel()
    }

    @Test(.rule(29)) func `Observing on a context that was closed is reported at the first post`() {
        let context = ContextByHand()
        context.context.close()
        let token = observe(context.context)
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        #expect(problems.entries.map(\.kind) == [.undeliverable])
        token.cancel()
    }

    @Test(.rule(29)) func `No mail is lost in silence when a context ends under load`() async {
        for _ in 0..<20 {
            let (center, problems, heard) = (MessageCenter(), Log<DeliveryProblem>(), Log<Int>())
            // With many deliveries that wait, there are problems of another kind.
            center.onProblem { if $0.kind == .undeliverable { problems.add($0) } }
            var loop: RunningLoop? = RunningLoop()
            let context = loop.map { DeliveryContext.glib($0.context) } ?? .poster
            let token = center.observe(Ping.self, on: context) { heard.add($0.number) }
            async let posts = onOwnThread {
                var queued = 0
                while true {
                    let receipt = center.postAndReport(Ping(number: queued))
                    if receipt.undeliverable > 0 { return queued }
                    queued += receipt.queued
                }
            }
            await heard.arrival(of: 1)
            loop?.stop()
            // The thread gives up its reference a moment later.
            loop = nil
            let queued = await posts
            // The post that came late is reported once, with a count of one; the others were
            // waiting.
            #expect(
                await until {
                    heard.entries.count + problems.entries.map(\.count).reduce(0, +) - 1 == queued
                })
            #expect(heard.entries == Array(0..<heard.entries.count))
            token.cancel()
        }
    }

    @Test func `A registration keeps no context alive, and a context no mailbox beyond its end`() {
        weak var mailbox: SharedMailbox?
        do {
            let (center, context) = (MessageCenter(), ContextByHand())
            let token = center.observe(Ping.self, on: .glib(context.context)) { _ in }
            mailbox = DeliveryContext.glib(context.context).mailbox
            token.cancel()
            #expect(mailbox != nil)
        }
        #expect(mailbox == nil)
    }

    @Test func `A new context at an ended one's address is another context`() {
        for number in 0..<200 {
            let context = ContextByHand()
            let token = observe(context.context)
            center.post(Ping(number: number))
            context.turn()
            token.cancel()
        }
        #expect(heard.entries == Array(0..<200))
        #expect(problems.entries.isEmpty)
    }
}
#endif
