// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if GLib
import SwitchyardCore
import SwitchyardGLib
import TestSupport
import Testing

private struct Ping: NotificationMessage {
    var number = 0
    var poster = 0
}

@Suite("Deliveries on GLib's main contexts", .timeLimit(.minutes(5))) struct GLibDeliveryTests {
    private let center = MessageCenter()
    private let log = Log<String>()

    /// Makes turns until nothing is ready.
    private func turns(_ context: ContextByHand) {
        while context.turn() {}
    }

    @Test(.rule(8)) func `Posts of one thread arrive on the loop's thread, in their order`()
        async throws
    {
        let (loop, numbers, threads) = (RunningLoop(), Log<Int>(), Log<ThreadIdentity>())
        defer { loop.stop() }
        await loop.performAndWait { threads.add(.current) }
        let tokens = (0..<2).map { _ in
            center.observe(Ping.self, on: .glib(loop.context)) { ping in
                numbers.add(ping.number)
                threads.add(.current)
            }
        }
        for number in 0..<1000 { center.post(Ping(number: number)) }
        await numbers.arrival(of: 2000)
        #expect(numbers.entries == (0..<1000).flatMap { [$0, $0] })
        #expect(Set(threads.entries).count == 1)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(8)) func `Each of many threads keeps its order, and nothing is lost`() async throws
    {
        let (loop, pings) = (RunningLoop(), Log<Ping>())
        defer { loop.stop() }
        let token = center.observe(Ping.self, on: .glib(loop.context)) { pings.add($0) }
        let (posters, count, center) = (8, 2000, center)
        await withTaskGroup { group in
            for poster in 0..<posters {
                group.addTask {
                    await onOwnThread {
                        for number in 0..<count {
                            center.post(Ping(number: number, poster: poster))
                        }
                    }
                }
            }
        }
        await pings.arrival(of: posters * count)
        let numbers = Dictionary(grouping: pings.entries, by: \.poster).mapValues {
            $0.map(\.number)
        }
        #expect(
            numbers
                == Dictionary(uniqueKeysWithValues: (0..<posters).map { ($0, Array(0..<count)) }))
        token.cancel()
    }

    @Test func `A loop that has nothing to do is woken by each post`() async throws {
        let (loop, numbers) = (RunningLoop(), Log<Int>())
        defer { loop.stop() }
        let token = center.observe(Ping.self, on: .glib(loop.context)) { numbers.add($0.number) }
        for number in 0..<500 {
            center.post(Ping(number: number))
            await numbers.arrival(of: number + 1)
        }
        #expect(numbers.entries == Array(0..<500))
        token.cancel()
    }

    @Test func `The default context delivers on the thread that runs it`() async throws {
        let numbers = Log<Int>()
        let token = center.observe(Ping.self, on: .glibMain) { numbers.add($0.number) }
        center.post(Ping(number: 1))
        let loop = RunningLoop(onDefault: true)
        await numbers.arrival(of: 1)
        center.post(Ping(number: 2))
        await numbers.arrival(of: 2)
        loop.stop()
        #expect(numbers.entries == [1, 2])
        #expect(DeliveryContext.glibMain.mailbox === DeliveryContext.glib(.main).mailbox)
        token.cancel()
    }

    @Test(.rule(10))
    func `A post on the owning thread is inline when nothing waits, and otherwise behind the mail`()
    {
        let (context, center, log) = (ContextByHand(), center, log)
        let token = center.observe(Ping.self, on: .glib(context.context)) { ping in
            log.add("begin \(ping.number)")
            if ping.number == 1 { center.post(Ping(number: 2)) }
            log.add("end \(ping.number)")
        }
        context.owned {
            log.add("before")
            center.post(Ping(number: 1))
            log.add("after")
            center.post(Ping(number: 3))
        }
        turns(context)
        #expect(
            log.entries == [
                "before", "begin 1", "end 1", "after", "begin 2", "end 2", "begin 3", "end 3",
            ])
        token.cancel()
    }

    @Test(.rule(29)) func `Mail waits while no loop runs, and is delivered by the next one`() async
    {
        let (context, numbers) = (ContextByHand(), Log<Int>())
        let token = center.observe(Ping.self, on: .glib(context.context)) { numbers.add($0.number) }
        center.post(Ping(number: 1))
        #expect(numbers.entries.isEmpty)
        await onOwnThread { while context.turn() {} }
        #expect(numbers.entries == [1])
        center.post(Ping(number: 2))
        #expect(numbers.entries == [1])
        await onOwnThread { while context.turn() {} }
        #expect(numbers.entries == [1, 2])
        token.cancel()
    }

    @Test func `A turn delivers what waited when it began, and leaves the rest to the next`() {
        let (context, center, log) = (ContextByHand(), center, log)
        let token = center.observe(Ping.self, on: .glib(context.context)) { ping in
            log.add("\(ping.number)")
            center.post(Ping(number: ping.number + 10))
        }
        for number in 1...3 { center.post(Ping(number: number)) }
        context.turn()
        #expect(log.entries == ["1", "2", "3"])
        context.turn()
        #expect(log.entries == ["1", "2", "3", "11", "12", "13"])
        token.cancel()
    }

    @Test func `Sources of the same priority have their turn while deliveries keep coming`() async {
        let (loop, center, numbers) = (RunningLoop(), center, Log<Int>())
        defer { loop.stop() }
        let token = center.observe(Ping.self, on: .glib(loop.context)) { ping in
            numbers.add(ping.number)
            // There is always one more delivery.
            center.post(Ping(number: ping.number + 1))
        }
        center.post(Ping())
        await numbers.arrival(of: 100)
        for _ in 0..<100 { await loop.performAndWait {} }
        await loop.performAndWait { token.cancel() }
    }

    @Test(.rule(9, 22))
    func `A handler that runs the loop hears later notifications inside, in order`() {
        let (context, center, log) = (ContextByHand(), center, log)
        let token = center.observe(Ping.self, on: .glib(context.context)) { ping in
            log.add("begin \(ping.number)")
            if ping.number == 1 {
                center.post(Ping(number: 4))
                while log.entries.last != "end 4" { context.turn(waits: true) }
            }
            log.add("end \(ping.number)")
        }
        for number in 1...3 { center.post(Ping(number: number)) }
        turns(context)
        #expect(
            log.entries == [
                "begin 1", "begin 2", "end 2", "begin 3", "end 3", "begin 4", "end 4", "end 1",
            ])
        token.cancel()
    }

    @Test(.rule(22)) func `A nested loop is woken by a post from another thread`() async {
        let (loop, log) = (RunningLoop(), log)
        defer { loop.stop() }
        let nested = Gate()
        let token = center.observe(Ping.self, on: .glib(loop.context)) { ping in
            log.add("begin \(ping.number)")
            if ping.number == 1 {
                nested.open()
                while !log.entries.contains("end 2") { loop.nestedTurn() }
            }
            log.add("end \(ping.number)")
        }
        center.post(Ping(number: 1))
        await onOwnThread { _ = nested.wait() }
        center.post(Ping(number: 2))
        await log.arrival(of: 4)
        #expect(log.entries == ["begin 1", "begin 2", "end 2", "end 1"])
        token.cancel()
    }

    @Test(.rule(22)) func `A handler that is called inline may run the loop, too`() {
        let (context, center, log) = (ContextByHand(), center, log)
        let token = center.observe(Ping.self, on: .glib(context.context)) { ping in
            log.add("begin \(ping.number)")
            if ping.number == 1 {
                center.post(Ping(number: 2))
                while log.entries.last != "end 2" { context.turn(waits: true) }
            }
            log.add("end \(ping.number)")
        }
        context.owned { center.post(Ping(number: 1)) }
        #expect(log.entries == ["begin 1", "begin 2", "end 2", "end 1"])
        token.cancel()
    }

    @Test(.rule(23)) func `Each priority of a context has one mailbox, which all centers share`() {
        let (first, second) = (ContextByHand(), ContextByHand())
        let mailbox = DeliveryContext.glib(first.context).mailbox
        #expect(mailbox != nil)
        #expect(DeliveryContext.glib(first.context, priority: .normal).mailbox === mailbox)
        #expect(DeliveryContext.glib(first.context, priority: .idle).mailbox !== mailbox)
        #expect(DeliveryContext.glib(second.context).mailbox !== mailbox)
    }

    @Test func `Deliveries of a higher priority come first, whatever was posted first`() {
        let (context, log) = (ContextByHand(), log)
        let priorities: [GLibContext.Priority] = [.low, .idle, .highIdle, .normal, .high]
        let tokens = priorities.map { priority in
            center.observe(Ping.self, on: .glib(context.context, priority: priority)) { _ in
                log.add("\(priority.rawValue)")
            }
        }
        center.post(Ping())
        turns(context)
        #expect(log.entries == ["-100", "0", "100", "200", "300"])
        for token in tokens { token.cancel() }
    }

    @Test func `The thread's default context is the one that it has pushed, or else the main one`()
        async
    {
        await onOwnThread {
            #expect(GLibContext.threadDefault.mainContext == GLibContext.main.mainContext)
            let context = ContextByHand()
            context.asThreadDefault {
                #expect(GLibContext.threadDefault.mainContext == context.context.mainContext)
            }
            #expect(GLibContext.threadDefault.mainContext == GLibContext.main.mainContext)
        }
    }
}
#endif
