// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import Synchronization
import TestSupport
import Testing

@Suite("Pauses of observations", .timeLimit(.minutes(5))) struct PauseTests {
    private let center = MessageCenter()

    @Test(.rule(42)) func `A paused observation hears what it missed when it is resumed, in order`()
    {
        let log = Log<Int>()
        let token = center.observe(Ping.self) { log.add($0.number) }
        token.pause()
        #expect(token.isPaused)
        for number in 0..<3 { #expect(center.postAndReport(Ping(number: number)).queued == 1) }
        #expect(log.entries.isEmpty)
        token.resume()
        #expect(!token.isPaused && log.entries == [0, 1, 2])
        #expect(center.postAndReport(Ping(number: 3)).delivered == 1)
        #expect(log.entries == [0, 1, 2, 3])
        token.cancel()
    }

    @Test(.rule(42)) func `Kept deliveries can be dropped`() {
        let log = Log<Int>()
        let token = center.observe(Ping.self) { log.add($0.number) }
        token.pause()
        center.post(Ping(number: 0))
        token.resume(.dropping)
        center.post(Ping(number: 1))
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test(.rule(42)) func `Each pause has to be ended, and others hear as usual`() {
        let (log, other) = (Log<Int>(), Log<Int>())
        let token = center.observe(Ping.self) { log.add($0.number) }
        let witness = center.observe(Ping.self) { other.add($0.number) }
        token.resume()
        token.pause()
        token.pause()
        token.resume()
        center.post(Ping(number: 0))
        #expect(log.entries.isEmpty && other.entries == [0])
        token.resume()
        token.resume()
        center.post(Ping(number: 1))
        #expect(log.entries == [0, 1] && other.entries == [0, 1])
        for token in [token, witness] { token.cancel() }
    }

    @Test(.rule(42), arguments: [false, true])
    func `What waits in the mailbox is kept too, and comes before later posts`(isBounded: Bool) {
        let target = HandDrained()
        let (mailbox, log) = (DeliveryMailbox(target: target), Log<Int>())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: isBounded ? .bounded(.dropOldest(above: 100)) : .standard
        ) { log.add($0.number) }
        center.post(Ping(number: 0))
        token.pause()
        center.post(Ping(number: 1))
        mailbox.drain()
        center.post(Ping(number: 2))
        token.resume()
        center.post(Ping(number: 3))
        #expect(log.entries.isEmpty)
        mailbox.drain()
        #expect(log.entries == [0, 1, 2, 3])
        #expect(!token.isPaused)
        token.cancel()
    }

    @Test(.rule(42))
    func `On its own thread, a paused observer is not called, and resumes at once`() {
        let target = HandDrained()
        target.isHere.store(true, ordering: .relaxed)
        let (mailbox, log) = (DeliveryMailbox(target: target), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        token.pause()
        #expect(center.postAndReport(Ping(number: 0)).queued == 1)
        mailbox.drain()
        #expect(log.entries.isEmpty)
        token.resume()
        #expect(log.entries == [0])
        #expect(center.postAndReport(Ping(number: 1)).delivered == 1)
        token.cancel()
    }

    @Test(.rule(42)) func `A bound counts kept deliveries as waiting`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.dropOldest(above: 2))
        ) { log.add($0.number) }
        token.pause()
        var dropped = 0
        for number in 0..<5 {
            dropped += center.postAndReport(Ping(number: number)).dropped
            mailbox.drain()
        }
        token.resume()
        mailbox.drain()
        #expect(log.entries == [3, 4] && dropped == 3)
        token.cancel()
    }

    @Test(.rule(42)) func `A handler that pauses its own observation hears nothing more`() {
        let (mailbox, box) = (DeliveryMailbox(target: HandDrained()), Log<ObservationToken>())
        let log = Log<Int>()
        box.add(
            center.observe(Ping.self, on: .mailbox(mailbox)) { ping in
                log.add(ping.number)
                if ping.number == 1 { box.entries[0].pause() }
            })
        for number in 0..<4 { center.post(Ping(number: number)) }
        mailbox.drain()
        #expect(log.entries == [0, 1])
        box.entries[0].resume()
        mailbox.drain()
        #expect(log.entries == [0, 1, 2, 3])
        box.entries[0].cancel()
    }

    @Test(.rule(42)) func `A handler that pauses while it catches up stops there`() {
        let (box, log) = (Log<ObservationToken>(), Log<Int>())
        box.add(
            center.observe(Ping.self) { ping in
                log.add(ping.number)
                if ping.number == 1 { box.entries[0].pause() }
            })
        let token = box.entries[0]
        token.pause()
        for number in 0..<4 { center.post(Ping(number: number)) }
        token.resume()
        #expect(log.entries == [0, 1] && token.isPaused)
        token.resume()
        #expect(log.entries == [0, 1, 2, 3] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(42)) func `An async handler is paused and catches up`() async {
        let log = Log<Int>()
        let token = center.observe(Ping.self) { ping in
            await Task.yield()
            log.add(ping.number)
        }
        token.pause()
        for number in 0..<3 { center.post(Ping(number: number)) }
        for _ in 0..<100 { await Task.yield() }
        #expect(log.entries.isEmpty)
        token.resume()
        center.post(Ping(number: 3))
        #expect(await log.arrival(of: 4) == [0, 1, 2, 3])
        token.cancel()
    }

    @Test(.rule(42)) func `Calls of a concurrent handler overlap when it catches up`() async {
        let (inside, log) = (Gate(2), Log<Int>())
        let token = center.observe(Ping.self, options: .concurrent) { ping in
            await onOwnThread { inside.arriveAndWait() }
            log.add(ping.number)
        }
        token.pause()
        for number in 0..<2 { center.post(Ping(number: number)) }
        for _ in 0..<100 { await Task.yield() }
        token.resume()
        #expect(await log.arrival(of: 2).sorted() == [0, 1])
        token.cancel()
    }

    @Test(.rule(42)) func `A post that waits waits for a paused observer`() async throws {
        let (center, log) = (center, Log<Int>())
        let token = center.observe(Ping.self) { ping in log.add(ping.number) }
        token.pause()
        let post = Task { try await center.postAndWait(Ping(number: 1)) }
        while log.entries.isEmpty {
            token.resume()
            await Task.yield()
            token.pause()
        }
        #expect(try await post.value.delivered == 1)
        token.cancel()
    }

    @Test(.rule(14, 42)) func `Cancelling drops what is kept, and releases it`() {
        final class Payload: Sendable {}
        struct Loaded: NotificationMessage {
            typealias Subject = Item
            let payload: Payload
        }
        let token = center.observe(Loaded.self) { _ in Issue.record("it was dropped") }
        token.pause()
        let witness: Witness<Payload>
        do {
            let payload = Payload()
            witness = Witness(payload)
            center.post(Loaded(payload: payload))
        }
        #expect(witness.isAlive)
        token.cancel()
        #expect(!witness.isAlive && !token.isPaused)
        token.resume()
        token.pause()
    }

    @Test(.rule(42)) func `A one-shot observation hears once after its pause`() {
        let log = Log<Int>()
        let token = center.observe(Ping.self, options: .once) { log.add($0.number) }
        token.pause()
        for number in 0..<3 { center.post(Ping(number: number)) }
        token.resume()
        #expect(log.entries == [0] && token.isCancelled)
    }

    @Test(.rule(29, 42)) func `Deliveries kept for a context that has ended are reported`() {
        let (mailbox, problems) = (DeliveryMailbox(target: HandDrained()), Log<String>())
        center.onProblem { problems.add("\($0.kind)") }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        token.pause()
        for number in 0..<2 { center.post(Ping(number: number)) }
        mailbox.drain()
        mailbox.close()
        token.resume()
        #expect(problems.entries.contains("undeliverable"))
        token.cancel()
    }

    /// Two pauses before the mailbox has its turn, and one post behind them.
    private func heard(
        _ first: ObservationToken.Resumption, _ second: ObservationToken.Resumption
    ) -> [Int] {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        token.pause()
        center.post(Ping(number: 1))
        token.resume(first)
        token.pause()
        center.post(Ping(number: 2))
        token.resume(second)
        center.post(Ping(number: 3))
        mailbox.drain()
        #expect(!token.isPaused)
        token.cancel()
        return log.entries
    }

    @Test(.rule(42)) func `Each end of a pause says what becomes of the deliveries before it`() {
        #expect(heard(.delivering, .delivering) == [1, 2, 3])
        #expect(heard(.dropping, .delivering) == [2, 3])
        #expect(heard(.delivering, .dropping) == [1, 3])
        #expect(heard(.dropping, .dropping) == [3])
    }

    @Test(.rule(42)) func `A dropping end of a pause holds, though another pause has begun`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        token.pause()
        center.post(Ping(number: 1))
        token.resume(.dropping)
        token.pause()
        mailbox.drain()
        center.post(Ping(number: 2))
        token.resume()
        mailbox.drain()
        #expect(log.entries == [2] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(42)) func `Under load nothing is lost, doubled, or out of order`() {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let (inline, queued) = (Log<Int>(), Log<Int>())
        let tokens = [
            center.observe(Ping.self) { inline.add($0.number) },
            center.observe(Ping.self, on: .mailbox(mailbox)) { queued.add($0.number) },
        ]
        let total = 20_000
        let isDone = Flag()
        onThreads(3) { index in
            switch index {
            case 0:
                for number in 0..<total { center.post(Ping(number: number)) }
                isDone.set()
            case 1:
                while !isDone.isSet {
                    for token in tokens { token.pause() }
                    for token in tokens { token.resume() }
                }
            default:
                while !isDone.isSet { mailbox.drain() }
            }
        }
        mailbox.drain()
        #expect(queued.entries == Array(0..<total))
        #expect(inline.entries.sorted() == Array(0..<total))
        for token in tokens { token.cancel() }
    }

    @Test(.rule(42))
    func `Posts beside the end of a pause are delivered once, before the next pause`() {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let (inline, queued, late) = (Counter(), Counter(), Counter())
        let tokens = [
            center.observe(Ping.self) { _ in inline.add() },
            center.observe(Ping.self, on: .mailbox(mailbox)) { _ in queued.add() },
        ]
        let (rounds, postsPerRound) = (10_000, 4)
        let (begun, ended) = (Counter(), Counter())
        onThreads(2) { index in
            for round in 1...rounds {
                if index == 0 {
                    for token in tokens { token.pause() }
                    begun.add()
                    // The pauses end at another moment of the posts in each round.
                    for _ in 0..<(round % 64 * 8) { _ = tokens[0].isPaused }
                    for token in tokens { token.resume() }
                    while ended.value < round { sched_yield() }
                    mailbox.drain()
                    let posted = round * postsPerRound
                    if inline.value != posted || queued.value != posted { late.add() }
                } else {
                    while begun.value < round { sched_yield() }
                    for number in 0..<postsPerRound {
                        center.post(Ping(number: number))
                        mailbox.drain()
                    }
                    ended.add()
                }
            }
        }
        #expect(late.value == 0)
        for token in tokens { token.cancel() }
    }
}
