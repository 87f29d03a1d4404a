// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NIO
import NIOCore
import NIOEmbedded
import NIOPosix
import SwitchyardCore
import SwitchyardNIO
import TestSupport
import Testing

private struct Ping: NotificationMessage { var number = 0 }
private struct Ask: NotificationMessage {}

@Suite("Event loops", .timeLimit(.minutes(5))) struct EventLoopTests {
    let center = MessageCenter()

    /// Runs `body` with a loop of a group that is shut down in the end.
    private func withLoop(
        _ body: (any EventLoop, MultiThreadedEventLoopGroup) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await body(group.next(), group)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        // A second shutdown is an error, which does not matter here.
        try? await group.shutdownGracefully()
    }

    @Test(.rule(8)) func `Posts of one thread arrive on the loop, in their order`() async throws {
        try await withLoop { loop, _ in
            let log = Log<Int>()
            let tokens = (0..<2).map { _ in
                center.observe(Ping.self, on: .eventLoop(loop)) { ping in
                    loop.preconditionInEventLoop()
                    log.add(ping.number)
                }
            }
            for number in 0..<1000 { center.post(Ping(number: number)) }
            // A long burst takes several turns of the loop, and other tasks have theirs between.
            while log.entries.count < 2000 { try await loop.submit {}.get() }
            #expect(log.entries == (0..<1000).flatMap { [$0, $0] })
            for token in tokens { token.cancel() }
        }
    }

    @Test(.rule(23)) func `Each loop has one mailbox, which all centers share`() async throws {
        try await withLoop { loop, _ in
            let other = MessageCenter()
            let contexts = [DeliveryContext.eventLoop(loop), .eventLoop(loop)]
            let tokens = [
                center.observe(Ping.self, on: contexts[0]) { _ in },
                other.observe(Ping.self, on: contexts[1]) { _ in },
            ]
            #expect(contexts[0].mailbox === contexts[1].mailbox)
            for token in tokens { token.cancel() }
        }
        let loop = EmbeddedEventLoop()
        #expect(
            DeliveryContext.eventLoop(loop).mailbox
                !== DeliveryContext.eventLoop(EmbeddedEventLoop()).mailbox)
    }

    @Test(.rule(12)) func `A cycle through a loop's own code is found`() async throws {
        try await withLoop { loop, _ in
            let (center, codes) = (center, Log<PostWaitError.Code>())
            let token = center.observe(Ping.self, on: .eventLoop(loop)) { _ in }
            let thread = try PollableMailbox(label: "thread")
            let asked = center.observe(Ask.self, on: .mailbox(thread)) { _ in
                do throws(PostWaitError) {
                    try center.postAndWait(Ping(), timeout: .seconds(240))
                } catch {
                    codes.add(error.code)
                }
            }
            // The loop's own code waits for the thread, whose handler waits for the loop. The wait
            // that begins last closes the cycle.
            let ended = loop.submit {
                do throws(PostWaitError) {
                    try center.postAndWait(Ask(), timeout: .seconds(240))
                } catch {
                    codes.add(error.code)
                }
            }
            await onOwnThread { _ = thread.waitAndDrain(timeout: .seconds(240)) }
            try await ended.get()
            #expect(codes.entries == [.cycle])
            for token in [token, asked] { token.cancel() }
        }
    }

    @Test(.rule(10))
    func `A post on the loop is inline when nothing waits, and otherwise behind the waiting mail`()
        async throws
    {
        try await withLoop { loop, _ in
            let (center, log) = (center, Log<String>())
            let token = center.observe(Ping.self, on: .eventLoop(loop)) { ping in
                log.add("begin \(ping.number)")
                if ping.number == 1 { center.post(Ping(number: 2)) }
                log.add("end \(ping.number)")
            }
            try await loop.submit {
                log.add("before")
                center.post(Ping(number: 1))
                log.add("after")
                center.post(Ping(number: 3))
            }.get()
            try await loop.submit {}.get()
            #expect(
                log.entries == [
                    "before", "begin 1", "end 1", "after", "begin 2", "end 2", "begin 3", "end 3",
                ])
            token.cancel()
        }
    }

    @Test(.rule(29)) func `A loop that is shut down delivers or reports what waits`() async throws {
        try await withLoop { loop, group in
            let (center, problems, log) = (center, Log<DeliveryProblem>(), Log<Int>())
            center.onProblem { problems.add($0) }
            let context = DeliveryContext.eventLoop(loop)
            let token = center.observe(Ping.self, on: context) { log.add($0.number) }
            center.post(Ping(number: 1))
            try await group.shutdownGracefully()
            #expect(log.entries == [1])
            #expect(context.mailbox?.isClosed == true)
            let receipt = center.postAndReport(Ping(number: 2))
            #expect(receipt.undeliverable == 1 && receipt.queued == 0)
            #expect(problems.entries.map(\.kind) == [.undeliverable])
            // By its thread alone: the rest of a loop's description changes.
            #expect(context.mailbox?.label.hasPrefix("event loop NIO-ELT-") == true)
            #expect(problems.entries[0].description.contains("event loop NIO-ELT-"))
            token.cancel()
        }
    }

    @Test(.rule(29)) func `No mail is lost in silence when a loop ends under load`() async throws {
        for _ in 0..<20 {
            try await withLoop { loop, group in
                let (center, problems, log) = (center, Log<DeliveryProblem>(), Log<Int>())
                // With many deliveries that wait, there are problems of another kind.
                center.onProblem { if $0.kind == .undeliverable { problems.add($0) } }
                let token = center.observe(Ping.self, on: .eventLoop(loop)) { log.add($0.number) }
                async let posts = Task.detached {
                    var queued = 0
                    while true {
                        let receipt = center.postAndReport(Ping(number: queued))
                        if receipt.undeliverable > 0 { return queued }
                        queued += receipt.queued
                    }
                }.value
                try await group.shutdownGracefully()
                let queued = await posts
                // The post that came late is reported once, with a count of one; the others were
                // waiting.
                let lost = problems.entries.map(\.count).reduce(0, +) - 1
                #expect(log.entries == Array(0..<log.entries.count))
                #expect(log.entries.count + lost == queued)
                token.cancel()
            }
        }
    }

    @Test(.rule(29)) func `Observing on a loop that has ended is reported at the first post`()
        async throws
    {
        try await withLoop { loop, group in
            try await group.shutdownGracefully()
            let problems = Log<DeliveryProblem>()
            center.onProblem { problems.add($0) }
            let token = center.observe(Ping.self, on: .eventLoop(loop)) { _ in }
            #expect(center.postAndReport(Ping()).undeliverable == 1)
            #expect(problems.entries.map(\.kind) == [.undeliverable])
            token.cancel()
        }
    }

    @Test func `The mailbox goes with its last observation, and the loop keeps nothing of it`()
        async throws
    {
        try await withLoop { loop, _ in
            // The description lists the loop's scheduled tasks.
            let before = String(reflecting: loop)
            weak var mailbox: SharedMailbox?
            do {
                let center = MessageCenter()
                let token = center.observe(Ping.self, on: .eventLoop(loop)) { _ in }
                mailbox = DeliveryContext.eventLoop(loop).mailbox
                #expect(mailbox != nil)
                #expect(String(reflecting: loop) != before)
                token.cancel()
            }
            #expect(mailbox == nil)
            #expect(await until { String(reflecting: loop) == before })
        }
    }

    @Test func `An embedded loop delivers when it is run`() throws {
        let (loop, log) = (EmbeddedEventLoop(), Log<Int>())
        let token = center.observe(
            Ping.self, on: .eventLoop(loop), options: .queued, using: { log.add($0.number) })
        center.post(Ping(number: 1))
        #expect(log.entries.isEmpty)
        loop.run()
        loop.advanceTime(by: .hours(1000))
        #expect(log.entries == [1])
        center.post(Ping(number: 2))
        try loop.syncShutdownGracefully()
        #expect(log.entries == [1, 2])
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }
}
#endif
