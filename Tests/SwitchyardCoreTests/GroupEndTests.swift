// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// Members of groups that end, pause, or come while something is on its way to them.
@Suite("Members of groups that come and go", .timeLimit(.minutes(5))) struct GroupEndTests {
    private final class Worker: Sendable {
        let log: Log<String>
        init(_ log: Log<String>) { self.log = log }
        func run(_ ping: Ping) { log.add("worker \(ping.number)") }
    }

    private let center = MessageCenter()
    private let log = Log<String>()

    private func member(
        _ name: String, on mailbox: DeliveryMailbox? = nil,
        options: ObservationOptions = .standard
    ) -> ObservationToken {
        center.observe(
            Ping.self, on: mailbox.map { .mailbox($0) } ?? .poster, options: options.inGroup("g")
        ) { [log] in log.add("\(name) \($0.number)") }
    }

    /// Registers a method of an object that dies at once, and pauses the registration.
    private func pausedOfTheDead(
        on mailbox: DeliveryMailbox? = nil, options: ObservationOptions = .standard
    ) {
        let worker = Worker(log)
        center.observe(
            Ping.self, with: worker, Worker.run, on: mailbox.map { .mailbox($0) } ?? .poster,
            options: options
        ).pause()
    }

    @Test(.rule(18, 44), arguments: [true, false])
    func `A pause ends with the observer object, and keeps nothing for it`(hasMailbox: Bool) {
        let mailbox = hasMailbox ? DeliveryMailbox(target: HandDrained()) : nil
        pausedOfTheDead(on: mailbox)
        let receipt = center.postAndReport(Ping())
        #expect(receipt.expired == 1)
        #expect(receipt.queued == 0)
        #expect(center.snapshot().entries.isEmpty)
        #expect(mailbox?.depth ?? 0 == 0)
    }

    @Test(.rule(18, 44)) func `A delivery to a paused observer that died meanwhile is not kept`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        do {
            let worker = Worker(log)
            center.observe(Ping.self, with: worker, Worker.run, on: .mailbox(mailbox)).pause()
            #expect(center.postAndReport(Ping()).queued == 1)
        }
        mailbox.drain()
        #expect(center.snapshot().entries.isEmpty)
        #expect(center.snapshot().expired == 1)
        #expect(log.entries.isEmpty)
    }

    @Test(.rule(18, 46)) func `A wait ends for a paused observer that has died`() throws {
        pausedOfTheDead(on: DeliveryMailbox(target: HandDrained()))
        let receipt = try center.postAndWait(Ping(), timeout: .seconds(100))
        #expect(receipt.expired == 1)
    }

    @Test(.rule(18, 46)) func `A paused member that has died leaves its posts to others`() {
        pausedOfTheDead(options: .inGroup("g"))
        let other = member("other")
        other.pause()
        for number in 0..<4 { center.post(Ping(number: number)) }
        other.resume()
        #expect(log.entries == (0..<4).map { "other \($0)" })
        other.cancel()
    }

    @Test(.rule(43, 46))
    func `A member that first hears the latest value hears what is posted meanwhile`() {
        center.post(Ping(number: 1), retaining: .latest)
        let token = center.observe(
            Ping.self, on: .poster, options: .replayingLatest.inGroup("g")
        ) { [center, log] ping in
            log.add("\(ping.number)")
            if ping.number < 3 {
                let receipt = center.post(Ping(number: ping.number + 1), retaining: .latest)
                if receipt.reachedNobody { log.add("nobody") }
            }
        }
        #expect(log.entries == ["1", "2", "3"])
        token.cancel()
    }

    @Test(.rule(43, 46))
    func `Members that come while values are posted hear the last of them`() {
        for _ in 0..<300 {
            let (center, heard) = (MessageCenter(), Log<Int>())
            let tokens = Log<ObservationToken>()
            center.post(Ping(), retaining: .latest)
            onThreads(2) { thread in
                if thread == 0 {
                    for number in 1...30 {
                        center.post(Ping(number: number), retaining: .latest)
                    }
                } else {
                    let made = center.observe(
                        Ping.self, on: .poster, options: .replayingLatest.inGroup("g")
                    ) { heard.add($0.number) }
                    tokens.add(made)
                }
            }
            let entries = heard.entries
            #expect(entries == Array((entries.first ?? 30)...30))
            for token in tokens.entries { token.cancel() }
        }
    }

    @Test(.rule(46)) func `What a pause kept moves before what came later`() async {
        for _ in 0..<60 {
            let (center, heard) = (MessageCenter(), Log<Int>())
            let (first, second) = (
                DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
            )
            let paused = center.observe(
                Ping.self, on: .mailbox(first), options: .inGroup("g")
            ) { _ in }
            paused.pause()
            for number in 0..<100 { center.post(Ping(number: number)) }
            let other = center.observe(
                Ping.self, on: .mailbox(second), options: .inGroup("g")
            ) { heard.add($0.number) }
            onThreads(2) { thread in
                if thread == 0 { first.drain() } else { paused.cancel() }
            }
            first.drain()
            await until { second.depth == 100 }
            second.drain()
            #expect(heard.entries == Array(0..<100))
            other.cancel()
        }
    }

    @Test(.rule(46)) func `What a resumption is about to deliver moves before what follows`() async
    {
        for round in 0..<300 {
            let (center, own, others) = (MessageCenter(), Log<Int>(), Log<Int>())
            let (heard, cancels) = (Counter(), Counter())
            let (first, second) = (
                DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
            )
            let paused = center.observe(
                Ping.self, on: .mailbox(first), options: .inGroup("g")
            ) {
                own.add($0.number)
                heard.add()
                // The end begins while the rest is being delivered.
                if $0.number == round % 30 { while cancels.value == 0 {} }
            }
            paused.pause()
            for number in 0..<30 { center.post(Ping(number: number)) }
            let other = center.observe(
                Ping.self, on: .mailbox(second), options: .inGroup("g")
            ) { others.add($0.number) }
            first.drain()
            onThreads(2) { thread in
                if thread == 0 {
                    paused.resume()
                    first.drain()
                } else {
                    while heard.value <= round % 30 {}
                    cancels.add()
                    paused.cancel()
                }
            }
            first.drain()
            await until { own.entries.count + second.depth == 30 }
            second.drain()
            #expect(own.entries + others.entries == Array(0..<30))
            other.cancel()
        }
    }

    @Test(.rule(44, 46)) func `A member that hears once hears what a pause has kept`() async {
        for isAsync in [false, true] {
            let token =
                isAsync
                ? center.observe(Ping.self, options: .once.inGroup("g")) { [log] ping async in
                    log.add("async \(ping.number)")
                } : member("once", options: .once)
            token.pause()
            for number in 0..<2 { center.post(Ping(number: number)) }
            token.resume()
            let count = isAsync ? 2 : 1
            #expect(await log.arrival(of: count).last == (isAsync ? "async 0" : "once 0"))
            #expect(log.entries.count == count)
        }
    }

    @Test(.rule(45, 46), arguments: [true, false])
    func `A first member that has ended has no place any more`(hasDied: Bool) {
        var worker: Worker? = Worker(log)
        let first = worker.map { worker in
            center.observe(Ping.self, with: worker, Worker.run, options: .inGroup("g"))
        }
        let consumer = center.consume(Ping.self) { [log] ping in
            log.add("consumer \(ping.number)")
            return .consumed
        }
        let second = member("second")
        if hasDied { worker = nil } else { first?.cancel() }
        for number in 0..<3 { center.post(Ping(number: number)) }
        #expect(log.entries == (0..<3).map { "consumer \($0)" })
        for token in [consumer, second] { token.cancel() }
        withExtendedLifetime(worker) {}
    }

    @Test(.rule(2, 46), arguments: [ObservationOptions.standard, .where { (_: Ping) in true }])
    func `A member that is added during a post does not hear it`(options: ObservationOptions) {
        let added = Log<ObservationToken>()
        let first = center.observe(Ping.self, on: .poster, options: options) { [center, log] _ in
            added.add(
                center.observe(Ping.self, on: .poster, options: .inGroup("g")) {
                    log.add("added \($0.number)")
                })
        }
        let unwilling = member("unwilling", options: .where { (ping: Ping) in ping.number != 1 })
        #expect(center.postAndReport(Ping(number: 1)).filtered == 1)
        #expect(log.entries.isEmpty)
        for token in [first, unwilling] + added.entries { token.cancel() }
    }

    @Test(.rule(44, 46))
    func `A job for a member that another job uses up at that moment goes to the next`()
        async throws
    {
        struct Job: RequestMessage { typealias Reply = String }
        let hand = DeliveryMailbox(target: HandDrained())
        // The loss of the first job is told before the second, and has the third made there.
        let options = ObservationOptions.once.inGroup("g")
            .bounded(.dropOldest(above: 2).onLag { _ in hand.drain() })
        let once = center.answer(Job.self, on: .mailbox(hand), options: options) { _ in "once" }
        let lost = Task { [center] in try await center.request(Job(), within: .seconds(240)) }
        await until { hand.depth == 1 }
        let jobs = (0..<2).map { _ in
            Task { [center] in try await center.request(Job(), within: .seconds(240)) }
        }
        _ = await lost.result
        let other = center.answer(Job.self, options: .inGroup("g")) { _ in "other" }
        await onOwnThread { hand.drain() }
        var answers: [String] = []
        for job in jobs { answers.append(try await job.value) }
        #expect(answers.sorted() == ["once", "other"])
        for token in [once, other] { token.cancel() }
    }

    @Test(.rule(28, 46))
    func `A post that waits for the room of a member that ends moves behind earlier ones`() async {
        let heard = Log<Int>()
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let first = center.observe(
            Ping.self, on: .mailbox(mailboxes[0]), options: .inGroup("g").bounded(.wait(above: 2))
        ) { _ in }
        let wait = PostWait(.accepted)
        for number in 1...4 {
            #expect(center.engine.post(Ping(number: number), for: wait).queued == 1)
        }
        let second = center.observe(
            Ping.self, on: .mailbox(mailboxes[1]), options: .inGroup("g")
        ) { heard.add($0.number) }
        first.cancel()
        mailboxes[0].drain()
        await until { mailboxes[1].depth == 4 }
        mailboxes[1].drain()
        #expect(heard.entries == [1, 2, 3, 4])
        wait.postIsDone()
        #expect(wait.missing == 0)
        second.cancel()
    }

    @Test(.rule(46))
    func `A one-shot member that ends while it catches up leaves its deliveries in order`()
        async
    {
        for round in 0..<500 {
            let (center, heard, own) = (MessageCenter(), Log<Int>(), Log<Int>())
            let once = center.observe(Ping.self, on: .poster, options: .once.inGroup("g")) {
                own.add($0.number)
            }
            once.pause()
            for number in 0..<8 { center.post(Ping(number: number)) }
            let other = center.observe(Ping.self, on: .poster, options: .inGroup("g")) {
                heard.add($0.number)
            }
            onThreads(2) { thread in
                if thread == 0 { return once.resume() }
                for _ in 0..<round % 40 { _ = once.isCancelled }
                once.cancel()
            }
            await until { own.entries.count + heard.entries.count == 8 }
            #expect(own.entries + heard.entries == Array(0..<8))
            other.cancel()
        }
    }
}
