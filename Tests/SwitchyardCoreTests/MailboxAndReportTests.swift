// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

@Suite("Mailboxes and reports") struct MailboxAndReportTests {
    let center = MessageCenter()

    struct Failure: Error {}

    @Test(.rule(23))
    func `All observers and centers of a context share one mailbox and one wake-up`() {
        let target = HandDrained()
        let mailbox = DeliveryMailbox(target: target)
        let other = MessageCenter()
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self, on: .mailbox(mailbox)) { log.add("a\($0.number)") },
            center.observe(Ping.self, on: .mailbox(mailbox)) { log.add("b\($0.number)") },
            other.observe(Ping.self, on: .mailbox(mailbox)) { log.add("c\($0.number)") },
        ]
        for number in 0..<3 {
            center.post(Ping(number: number))
            other.post(Ping(number: number))
        }
        #expect(target.wakeUps.load(ordering: .relaxed) == 1)
        mailbox.drain()
        #expect(log.entries == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"])
        center.post(Ping())
        #expect(target.wakeUps.load(ordering: .relaxed) == 2)
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(7)) func `A drain of a few deliveries wakes its target for the others`() {
        let target = HandDrained()
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        for number in 0..<5 { center.post(Ping(number: number)) }
        #expect(mailbox.drain(atMost: 2) == 2)
        #expect(log.entries == [0, 1])
        #expect(target.wakeUps.load(ordering: .relaxed) == 2)
        #expect(mailbox.drain(atMost: -1) == 0)
        #expect(mailbox.drain(atMost: 9) == 3)
        #expect(log.entries == Array(0..<5))
        token.cancel()
    }

    @Test(.rule(23)) func `A drain takes what waited when it began, then asks for another drain`() {
        let target = HandDrained()
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { [center] ping in
            log.add(ping.number)
            if ping.number < 10 { center.post(Ping(number: ping.number + 2)) }
        }
        center.post(Ping(number: 0))
        center.post(Ping(number: 1))
        mailbox.drain()
        #expect(log.entries == [0, 1])
        #expect(target.wakeUps.load(ordering: .relaxed) == 2)
        mailbox.drain()
        #expect(log.entries == [0, 1, 2, 3])
        #expect(target.wakeUps.load(ordering: .relaxed) == 3)
        token.cancel()
    }

    @Test(.rule(22)) func `A drain inside a handler goes on with the waiting mail, in order`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let log = Log<String>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { ping in
            log.add("begin \(ping.number)")
            if ping.number == 1 { mailbox.drain() }
            log.add("end \(ping.number)")
        }
        for number in 1...3 { center.post(Ping(number: number)) }
        mailbox.drain()
        #expect(
            log.entries == ["begin 1", "begin 2", "end 2", "begin 3", "end 3", "end 1"])
        token.cancel()
    }

    @Test(.rule(28))
    func `An unbounded mailbox drops nothing, and reports passing its high-water mark`() {
        let mailbox = DeliveryMailbox(target: HandDrained(), highWaterMark: 100)
        let problems = Log<DeliveryProblem>()
        let log = Log<Int>()
        center.onProblem { problems.add($0) }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        for number in 0..<1000 { center.post(Ping(number: number)) }
        #expect(problems.entries.map(\.count) == [100, 200, 400, 800])
        #expect(problems.entries.allSatisfy { $0.kind == .highWater })
        mailbox.drain()
        #expect(log.entries == Array(0..<1000))
        token.cancel()
    }

    @Test(.rule(29)) func `Waiting mail is reported when its target ends, and later posts say so`()
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let problems = Log<DeliveryProblem>()
        let log = Log<Int>()
        center.onProblem { problems.add($0) }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        for number in 0..<5 { center.post(Ping(number: number)) }
        mailbox.close()
        #expect(problems.entries.map(\.kind) == [.undeliverable])
        #expect(problems.entries.map(\.count) == [5])
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        mailbox.drain()
        #expect(log.entries == [])
        #expect(center.snapshot().entries.count == 1)
        token.cancel()
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test(.rule(29)) func `A post to an ended target keeps nothing`() {
        struct Parcel: NotificationMessage { let probe: Probe }
        let released = Counter()
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Parcel.self, on: .mailbox(mailbox)) { _ in }
        mailbox.close()
        for _ in 0..<100 { center.post(Parcel(probe: Probe(released))) }
        #expect(released.value == 100)
        token.cancel()
    }

    @Test(.rule(22)) func `Mail that comes as a drain begins wakes a nested loop`() {
        final class Nesting: MailboxTarget {
            let wakeUps = Counter()
            var label: String { "nesting" }
            var runsNestedLoops: Bool { true }
            func wake(_ mailbox: DeliveryMailbox) { wakeUps.add() }
        }
        let target = Nesting()
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { [center] ping in
            if ping.number == 0 {
                let before = target.wakeUps.value
                center.post(Ping(number: 1))
                log.add(target.wakeUps.value - before)
            }
        }
        center.post(Ping(number: 0))
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test func `A hook may be called and replaced without end, and go with what it captured`() {
        struct Loud: NotificationMessage {}
        let calls = Counter()
        center.onProblem { _ in calls.add() }
        let token = center.observe(Ping.self) { _ in throw Failure() }
        for _ in 0..<100_000 { center.post(Ping()) }
        #expect(calls.value == 100_000)
        token.cancel()
        // An object that the old hook captured posts while it is destroyed, and the new hook is
        // called.
        final class Farewell: Sendable {
            let center: MessageCenter
            init(_ center: MessageCenter) { self.center = center }
            deinit { center.post(Loud()) }
        }
        let letters = Counter()
        do {
            let farewell = Farewell(center)
            center.onDeadLetter { _ in _ = farewell }
        }
        center.onDeadLetter { _ in letters.add() }
        #expect(letters.value == 1)
        center.onDeadLetter(nil)
    }

    @Test func `A stream lets go of what was taken, and of what it drops, outside its lock`() async
    {
        struct Heavy: NotificationMessage { let probe: Echo }
        /// An object that posts when it is destroyed, and whose own stream hears the post.
        final class Echo: Sendable {
            let center: MessageCenter
            let left: Int
            let released: Counter
            init(_ center: MessageCenter, _ left: Int, _ released: Counter) {
                self.center = center
                self.left = left
                self.released = released
            }
            deinit {
                released.add()
                if left > 0 { center.post(Heavy(probe: Echo(center, left - 1, released))) }
            }
        }
        let released = Counter()
        let stream = center.stream(Heavy.self, buffering: .dropOldest(above: 1))
        for _ in 0..<3 { center.post(Heavy(probe: Echo(center, 2, released))) }
        #expect(released.value >= 2)
        var iterator = stream.makeAsyncIterator()
        while released.value < 9 { _ = await iterator.next() }
        #expect(released.value == 9)
    }

    @Test(.rule(31)) func `A handler that throws is reported, and the others still run`() {
        let problems = Log<DeliveryProblem>()
        let log = Log<String>()
        let hand = DeliveryMailbox(target: HandDrained())
        center.onProblem { problems.add($0) }
        let tokens = [
            center.observe(Ping.self) { _ in throw Failure() },
            center.observe(Ping.self) { _ in log.add("second") },
            center.observe(Ping.self, on: .mailbox(hand)) { _ in throw Failure() },
        ]
        #expect(center.postAndReport(Ping()).delivered == 2)
        hand.drain()
        #expect(log.entries == ["second"])
        #expect(problems.entries.map(\.kind) == [.handlerThrew, .handlerThrew])
        #expect(problems.entries.allSatisfy { $0.error is Failure })
        #expect(problems.entries.allSatisfy { $0.description.contains("MailboxAndReportTests") })
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(32))
    func `The dead-letter hook hears of a post that reached nobody, but not of its own posts`() {
        let topics = Log<String>()
        center.onDeadLetter { [center] topic in
            topics.add(topic)
            center.post(Tick())
        }
        center.post(Ping())
        #expect(topics.entries.count == 1)
        #expect(topics.entries.first?.hasSuffix("Ping") == true)
        let token = center.observe(Ping.self) { _ in }
        center.post(Ping())
        #expect(topics.entries.count == 1)
        token.cancel()
        center.post(Ping())
        #expect(topics.entries.count == 2)
    }

    private struct Page: Hashable {
        unowned let book: Item
        static func == (left: Page, right: Page) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private struct Described: Hashable, CustomStringConvertible {
        var description: String { fatalError("a tool asks for no description") }
    }

    private enum Side { case left }

    @Test(.rule(33)) func `A tool is shown no more of a value than a number, a text or a case`() {
        var book: Item? = Item()
        let page = book.map { Subject(Page(book: $0)) }
        book = nil
        #expect(page?.plainDescription.hasPrefix("object of type Page (hash ") == true)
        #expect(Subject(Described()).plainDescription.hasPrefix("object of type Described (hash "))
        let optional: String? = "text"
        #expect(
            Subject(AnyHashable(optional)).plainDescription.hasPrefix("object of type Optional<"))
        let plain: [AnyHashable] = ["text", 5, 1.5, true, Side.left]
        #expect(
            plain.map { Subject($0).plainDescription } == [
                "object text", "object 5", "object 1.5", "object true", "object left",
            ])
    }

    @Test(.rule(33)) func `The snapshot shows topic, context, registration site and queue depth`()
        throws
    {
        let hand = DeliveryMailbox(target: HandDrained())
        let item = Item()
        let line = UInt(#line + 1)
        let token = center.observe(Ping.self, of: item, on: .mailbox(hand)) { _ in }
        center.post(Ping(), subject: item)
        center.post(Ping(), subject: item)
        var entry = try #require(center.snapshot().entries.first)
        #expect(entry.topic.hasSuffix("Ping"))
        #expect(entry.object.contains("object at 0x"))
        #expect(entry.context == "hand")
        #expect(entry.origin.file.hasSuffix("MailboxAndReportTests.swift"))
        #expect(entry.origin.line == Int(line))
        #expect(entry.queueDepth == 2)
        #expect(entry.delivered == 0)
        hand.drain()
        entry = try #require(center.snapshot().entries.first)
        #expect(entry.queueDepth == 0)
        #expect(entry.delivered == 2)
        token.cancel()
    }

    @Test(.rule(33)) func `Inline deliveries are counted while statistics are collected`() {
        let token = center.observe(Ping.self) { _ in }
        center.post(Ping())
        #expect(center.snapshot().entries.map(\.delivered) == [0])
        center.collectsStatistics = true
        center.post(Ping())
        #expect(center.snapshot().entries.map(\.delivered) == [1])
        token.cancel()
    }

    @Test(.rule(33)) func `A handler that runs shows as in flight`() {
        let log = Log<Bool>()
        let token = center.observe(Ping.self) { [center] _ in
            log.add(center.snapshot().entries[0].isInFlight)
        }
        center.post(Ping())
        log.add(center.snapshot().entries[0].isInFlight)
        #expect(log.entries == [true, false])
        token.cancel()
    }

    @Test func `A post walks the lists that match, and no others`() {
        // The test counts and does not time: a post protects the two lists that match, and no
        // others.
        let item = Item()
        let items = (0..<1000).map { _ in Item() }
        let tokens =
            items.map { center.observe(Ping.self, of: $0) { _ in } }
            + [center.observe(Ping.self) { _ in }, center.observe(Ping.self, of: item) { _ in }]
        let engine = center.engine
        let match = engine.registry.match(.type(Ping.self), Subject(instance: item))
        #expect(match.count == 2)
        match.end()
        withExtendedLifetime((tokens, items)) {}
    }

    @Test(.rule(28, 30)) func `A stream observes from the call on and tells what was lost`() async {
        let all = center.stream(Ping.self)
        let newest = center.stream(Ping.self, buffering: .dropOldest(above: 2))
        let oldest = center.stream(Ping.self, buffering: .dropNewest(above: 2))
        for number in 0..<5 { center.post(Ping(number: number)) }
        func take(_ count: Int, of stream: MessageStream<Ping>) async -> [String] {
            var iterator = stream.makeAsyncIterator()
            var taken: [String] = []
            while taken.count < count, let event = await iterator.next() {
                switch event {
                case .message(let ping): taken.append("\(ping.number)")
                case .lagged(let lost): taken.append("lagged \(lost)")
                }
            }
            return taken
        }
        #expect(await take(5, of: all) == ["0", "1", "2", "3", "4"])
        #expect(await take(3, of: newest) == ["lagged 3", "3", "4"])
        #expect(await take(2, of: oldest) == ["0", "1"])
        center.post(Ping(number: 9))
        #expect(await take(2, of: oldest) == ["lagged 3", "9"])
    }

    @Test(.rule(30)) func `next on a cancelled task returns nil`() async {
        let stream = center.stream(Ping.self)
        let task = Task {
            var iterator = stream.makeAsyncIterator()
            return await iterator.next() == nil
        }
        task.cancel()
        #expect(await task.value)
    }
}
