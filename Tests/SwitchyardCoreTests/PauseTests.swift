// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import Synchronization
import TestSupport
import Testing

/// A message that holds something.
private struct Held: NotificationMessage {
    let probe: Probe
    init(_ probe: Probe) { self.probe = probe }
}

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

    @Test(.rule(42))
    func `An end without a pause drops nothing, although an earlier end is on its way`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        token.pause()
        center.post(Ping(number: 0))
        token.resume()
        center.post(Ping(number: 1))
        token.resume(.dropping)
        mailbox.drain()
        #expect(log.entries == [0, 1] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(42)) func `What a pause kept comes, if the pause has ended before the center`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        var center: MessageCenter? = MessageCenter()
        let token = center?.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        token?.pause()
        center?.post(Ping(number: 0))
        token?.resume()
        center?.post(Ping(number: 1))
        center = nil
        mailbox.drain()
        #expect(log.entries == [0, 1])
        token?.cancel()
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

    @Test(.rule(14, 42))
    func `An observer that wants its mailbox hears the end of a pause through it`() {
        let hand = HandDrained()
        hand.isHere.store(true, ordering: .relaxed)
        let mailbox = DeliveryMailbox(target: hand)
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox), options: .queued) {
            log.add($0.number)
        }
        token.pause()
        center.post(Ping(number: 1))
        mailbox.drain()
        token.resume()
        #expect(log.entries.isEmpty)
        mailbox.drain()
        #expect(log.entries == [1])
        // With nothing kept, the pause is over at once, and a post of the thread may wait.
        token.pause()
        token.resume()
        #expect(!token.isPaused)
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
        let (center, log, witness) = (center, Log<Int>(), Log<Int>())
        let tokens = [
            center.observe(Ping.self, options: .priority(1)) { log.add($0.number) },
            center.observe(Ping.self) { witness.add($0.number) },
        ]
        tokens[0].pause()
        let post = Task { try await center.postAndWait(Ping(number: 1)) }
        // The one that hears first has been asked by then.
        #expect(await witness.arrival(of: 1) == [1] && log.entries.isEmpty)
        tokens[0].resume()
        #expect(try await post.value.delivered == 2)
        #expect(log.entries == [1])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(29, 42))
    func `A post that waits learns that a paused observer's context has ended`()
        async throws
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        token.pause()
        let post = Task { try await center.postAndWait(Ping(number: 1)) }
        while mailbox.depth == 0 { await Task.yield() }
        mailbox.drain()
        mailbox.close()
        await #expect(throws: PostWaitError.self) { _ = try await post.value }
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

    @Test(.rule(29, 42)) func `Deliveries kept for a context that ends are reported then`() {
        let (mailbox, problems) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        center.onProblem { problem in
            if problem.kind == .undeliverable { problems.add(problem.count) }
        }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        token.pause()
        for number in 0..<2 { center.post(Ping(number: number)) }
        mailbox.drain()
        center.post(Ping(number: 2))
        mailbox.close()
        #expect(problems.entries == [3])
        #expect(center.postAndReport(Ping(number: 3)).undeliverable == 1)
        token.resume()
        // The other problem is the post that came late.
        #expect(problems.entries == [3, 1] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(29, 42))
    func `Deliveries that were to be made after a pause end with their context`() {
        let (mailbox, problems) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        center.onProblem { problem in
            if problem.kind == .undeliverable { problems.add(problem.count) }
        }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        token.pause()
        center.post(Ping(number: 0))
        mailbox.drain()
        token.resume()
        center.post(Ping(number: 1))
        mailbox.close()
        #expect(problems.entries == [2] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(12, 42))
    func `The memory of what a bound displaces is given back during the pause`() {
        final class Payload: Sendable {
            let alive: Counter
            init(_ alive: Counter) {
                self.alive = alive
                alive.add(1)
            }
            deinit { alive.add(-1) }
        }
        struct Loaded: NotificationMessage {
            typealias Subject = Item
            let payload: Payload
        }
        let (mailbox, alive) = (DeliveryMailbox(target: HandDrained()), Counter())
        let token = center.observe(
            Loaded.self, on: .mailbox(mailbox), options: .bounded(.dropOldest(above: 10))
        ) { _ in }
        token.pause()
        for _ in 0..<10_000 {
            center.post(Loaded(payload: Payload(alive)))
            mailbox.drain()
        }
        #expect(alive.value < 100)
        token.resume()
        mailbox.drain()
        #expect(alive.value == 0)
        token.cancel()
    }

    @Test(.rule(42))
    func `Dropping what a concurrent handler missed spares what is posted after it`()
        async
    {
        let log = Log<Int>()
        let token = center.observe(Ping.self, options: .concurrent) { log.add($0.number) }
        for round in 0..<200 {
            token.pause()
            #expect(center.postAndReport(Ping(number: -1)).queued == 1)
            token.resume(.dropping)
            #expect(!token.isPaused)
            center.post(Ping(number: round))
        }
        #expect(await log.arrival(of: 200).sorted() == Array(0..<200))
        token.cancel()
    }

    @Test(.rule(42)) func `A pause holds what a concurrent handler has not begun to catch up with`()
        async
    {
        let log = Log<Int>()
        let token = center.observe(Ping.self, options: .concurrent) { log.add($0.number) }
        token.pause()
        for number in 0..<1000 { center.post(Ping(number: number)) }
        token.resume()
        token.pause()
        // A call that had begun may end; none begins.
        for _ in 0..<100 { await Task.yield() }
        token.resume()
        #expect(await log.arrival(of: 1000).sorted() == Array(0..<1000))
        token.cancel()
    }

    @Test(.rule(41, 42)) func `A pause that begins in a condition keeps that delivery`() {
        let (box, log) = (Log<ObservationToken>(), Log<Int>())
        let token = center.observe(
            Ping.self,
            options: .where { (ping: Ping) in
                if ping.number == 1 { box.entries[0].pause() }
                return true
            }
        ) { log.add($0.number) }
        box.add(token)
        #expect(center.postAndReport(Ping(number: 0)).delivered == 1)
        #expect(center.postAndReport(Ping(number: 1)).queued == 1)
        #expect(log.entries == [0])
        token.resume()
        #expect(log.entries == [0, 1] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(42))
    func `A handler that ends its thread while it catches up leaves the rest to others`()
        async
    {
        let log = Log<Int>()
        let token = center.observe(Ping.self) { ping in
            log.add(ping.number)
            if ping.number == 1 { endThisThread() }
        }
        token.pause()
        for number in 0..<4 { center.post(Ping(number: number)) }
        onThreads(1) { _ in token.resume() }
        #expect(await log.arrival(of: 4) == [0, 1, 2, 3])
        token.cancel()
    }

    @Test(.rule(42)) func `The end of a dropped payload may post`() {
        final class Payload: Sendable {
            let center: MessageCenter
            init(_ center: MessageCenter) { self.center = center }
            deinit { center.post(Ping(number: 1)) }
        }
        struct Loaded: NotificationMessage {
            typealias Subject = Item
            let payload: Payload
        }
        let log = Log<Int>()
        let tokens = [
            center.observe(Loaded.self) { _ in Issue.record("it was dropped") },
            center.observe(Ping.self) { log.add($0.number) },
        ]
        for token in tokens { token.pause() }
        center.post(Loaded(payload: Payload(center)))
        tokens[1].resume()
        tokens[0].resume(.dropping)
        #expect(log.entries == [1])
        for token in tokens { token.cancel() }
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

    @Test(.rule(42)) func `A paused observation hears nothing after its center has gone`() {
        let (log, hand) = (Log<Int>(), DeliveryMailbox(target: HandDrained()))
        var center: MessageCenter? = MessageCenter()
        let token = center?.observe(Ping.self, on: .mailbox(hand)) { log.add($0.number) }
        token?.pause()
        center?.post(Ping(number: 1))
        center = nil
        hand.drain()
        #expect(log.entries.isEmpty && token?.isPaused == true)
        token?.cancel()
    }

    @Test(.rule(42), arguments: [ObservationToken.Resumption.delivering, .dropping])
    func `A pause that ends after the center has gone brings nothing back`(
        _ resumption: ObservationToken.Resumption
    ) {
        let (log, hand) = (Log<Int>(), DeliveryMailbox(target: HandDrained()))
        var center: MessageCenter? = MessageCenter()
        let token = center?.observe(Ping.self, on: .mailbox(hand)) { log.add($0.number) }
        token?.pause()
        center?.post(Ping(number: 1))
        hand.drain()
        center?.post(Ping(number: 2))
        center = nil
        token?.resume(resumption)
        token?.pause()
        token?.resume(resumption)
        hand.drain()
        #expect(log.entries == [])
        token?.cancel()
    }

    @Test(.rule(22, 42), arguments: [ObservationToken.Resumption.delivering, .dropping])
    func `A later end of a pause leaves the turn of an earlier one alone`(
        later: ObservationToken.Resumption
    ) {
        let (log, hand) = (Log<String>(), DeliveryMailbox(target: HandDrained()))
        let token = center.observe(Ping.self, on: .mailbox(hand)) { ping in
            log.add("begin \(ping.number)")
            // The loop of a handler comes to the later turn.
            if ping.number == 1 { hand.drain() }
            log.add("end \(ping.number)")
        }
        token.pause()
        for number in 1...2 { center.post(Ping(number: number)) }
        token.resume()
        token.pause()
        token.resume(later)
        hand.drain()
        #expect(log.entries == ["begin 1", "end 1", "begin 2", "end 2"])
        center.post(Ping(number: 3))
        hand.drain()
        #expect(log.entries.last == "end 3" && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(42)) func `A handler that pauses and drops leaves what was promised before`() {
        let (log, box) = (Log<Int>(), Log<ObservationToken>())
        let center = center
        box.add(
            center.observe(Ping.self) { ping in
                log.add(ping.number)
                guard ping.number == 1, let token = box.entries.first else { return }
                token.pause()
                center.post(Ping(number: 3))
                token.resume(.dropping)
            })
        let token = box.entries[0]
        token.pause()
        for number in 1...2 { center.post(Ping(number: number)) }
        token.resume()
        #expect(log.entries == [1, 2] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(12, 29, 42), arguments: [false, true])
    func `What a pause keeps is given up when the first of it ends observation and thread`(
        isOnce: Bool
    ) async throws {
        let (center, released, box) = (center, Counter(), Log<ObservationToken>())
        let hand = DeliveryMailbox(target: HandDrained())
        box.add(
            center.observe(
                Held.self, on: .mailbox(hand), options: isOnce ? .once : .standard
            ) { _ in
                if !isOnce { box.entries.first?.cancel() }
                endThisThread()
            })
        box.entries[0].pause()
        center.post(Held(Probe(released)))
        hand.drain()
        let wait = Task { try await center.postAndWait(Held(Probe(released))) }
        await until { hand.depth == 1 }
        hand.drain()
        box.entries[0].resume()
        await onOwnThread { onThreads(1) { _ in hand.drain() } }
        #expect(try await wait.value.delivered == 0)
        // The one in the handler is left behind on the stack of the thread.
        await until { released.value == 1 }
    }

    private actor Worker {}

    @Test(.rule(29, 42)) func `What a pause keeps is reported when its actor has gone`()
        async throws
    {
        let (problems, log) = (Log<Int>(), Log<Int>())
        center.onProblem { problem in
            if problem.kind == .undeliverable { problems.add(problem.count) }
        }
        var worker: Worker? = Worker()
        let token = center.observe(Ping.self, on: .actor(try #require(worker))) {
            log.add($0.number)
        }
        token.pause()
        for number in 0..<3 { center.post(Ping(number: number)) }
        // One that is not paused comes after them: they are kept by then.
        let (center, heard) = (center, Counter())
        let witness = center.observe(Tick.self, on: .actor(try #require(worker))) { _ in
            heard.add()
        }
        center.post(Tick())
        await until { heard.value == 1 }
        witness.cancel()
        // The drain holds the actor for a moment.
        weak let gone = worker
        worker = nil
        await until { gone == nil }
        token.resume()
        await until { !problems.entries.isEmpty }
        #expect(problems.entries.reduce(0, +) == 3)
        #expect(log.entries == [])
    }
}
