// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) import SwitchyardCore
import Synchronization
import TestSupport
import Testing

@Suite("The latest value, for observers that come late", .timeLimit(.minutes(5)))
struct LatestTests {
    private let center = MessageCenter()

    @Test(.rule(43)) func `An observer that comes late hears the latest value first`() {
        let log = Log<Int>()
        for number in 1...3 { center.post(Ping(number: number), retaining: .latest) }
        let token = center.observe(Ping.self, options: .replayingLatest) { log.add($0.number) }
        #expect(log.entries == [3] && !token.isPaused)
        center.post(Ping(number: 4))
        #expect(log.entries == [3, 4])
        token.cancel()
    }

    @Test(.rule(43)) func `A value about a subject that does not equal itself is not kept`() {
        struct Reading: NotificationMessage {
            typealias Subject = Double
        }
        let heard = Log<Double>()
        let token = center.observe(Reading.self, of: 1) { _ in heard.add(1) }
        for _ in 0..<3 { center.post(Reading(), subject: .nan, retaining: .latest) }
        center.post(Reading(), subject: 1, retaining: .latest)
        let kept = center.engine.latestValues(of: .type(Reading.self), about: .none)
        #expect(kept.count == 1)
        #expect(heard.entries == [1])
        token.cancel()
    }

    @Test(.rule(43)) func `Both sides have to ask for it`() {
        let log = Log<Int>()
        center.post(Ping(number: 1), retaining: .latest)
        center.post(Ping(number: 2))
        let tokens = [
            center.observe(Ping.self) { log.add($0.number) },
            center.observe(Ping.self, options: .replayingLatest) { log.add(10 * $0.number) },
        ]
        #expect(log.entries == [10])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43)) func `The latest can be looked up and removed`() {
        #expect(center.latest(Ping.self) == nil && center.removeLatest(Ping.self) == nil)
        center.post(Ping(number: 1), retaining: .latest)
        #expect(center.latest(Ping.self)?.number == 1)
        #expect(center.removeLatest(Ping.self)?.number == 1)
        #expect(center.latest(Ping.self) == nil)
        let token = center.observe(Ping.self, options: .replayingLatest) { _ in
            Issue.record("it was removed")
        }
        token.cancel()
    }

    @Test(.rule(43))
    func `Each subject has its own, and an observer of any hears them all in order`() {
        let (one, other, log) = (Item(), Item(), Log<Int>())
        center.post(Ping(number: 1), subject: one, retaining: .latest)
        center.post(Ping(number: 2), subject: other, retaining: .latest)
        center.post(Ping(number: 3), retaining: .latest)
        center.post(Ping(number: 4), subject: one, retaining: .latest)
        #expect(center.latest(Ping.self)?.number == 3)
        #expect(center.latest(Ping.self, of: one)?.number == 4)
        let tokens = [
            center.observe(Ping.self, of: other, options: .replayingLatest) { log.add($0.number) },
            center.observe(Ping.self, options: .replayingLatest) { log.add($0.number) },
        ]
        #expect(log.entries == [2, 2, 3, 4])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43)) func `A value whose subject has died is given back, however few there are`() {
        struct Holding: NotificationMessage {
            typealias Subject = Item
            let probe: Probe
        }
        let ended = Counter()
        var subject: Item? = Item()
        if let subject {
            center.post(Holding(probe: Probe(ended)), subject: subject, retaining: .latest)
        }
        subject = nil
        for _ in 0..<2_000 where ended.value == 0 {
            center.observe(Ping.self) { _ in }.cancel()
        }
        #expect(ended.value == 1)
    }

    @Test(.rule(43)) func `Values are subjects by what they equal`() {
        struct Level: NotificationMessage {
            typealias Subject = String
            let value: Int
        }
        let log = Log<Int>()
        center.post(Level(value: 1), subject: "a", retaining: .latest)
        center.post(Level(value: 2), subject: "b", retaining: .latest)
        center.post(Level(value: 3), subject: "a", retaining: .latest)
        #expect(center.latest(Level.self, of: "a")?.value == 3)
        let token = center.observe(Level.self, of: "b", options: .replayingLatest) {
            log.add($0.value)
        }
        #expect(log.entries == [2])
        #expect(center.removeLatest(Level.self, of: "b")?.value == 2)
        #expect(center.latest(Level.self, of: "b") == nil)
        token.cancel()
    }

    @Test(.rule(43)) func `A subject is compared with the one that has its value, once`() {
        struct Line: Hashable, Sendable {
            let name: String
            let comparisons: Counter
            static func == (left: Line, right: Line) -> Bool {
                left.comparisons.add()
                return left.name == right.name
            }
            func hash(into hasher: inout Hasher) { hasher.combine(name) }
        }
        struct Level: NotificationMessage {
            typealias Subject = Line
            let value: Int
        }
        let (log, comparisons) = (Log<Int>(), Counter())
        let lines = (0..<10).map { Line(name: "\($0)", comparisons: comparisons) }
        for (index, line) in lines.enumerated() {
            center.post(Level(value: index), subject: line, retaining: .latest)
        }
        let before = comparisons.value
        let token = center.observe(Level.self, of: lines[7], options: .replayingLatest) {
            log.add($0.value)
        }
        #expect(log.entries == [7])
        #expect(comparisons.value == before + 1)
        token.cancel()
    }

    @Test(.rule(43)) func `The value is delivered on the observer's context, before later posts`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        center.post(Ping(number: 1), retaining: .latest)
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .replayingLatest
        ) { log.add($0.number) }
        center.post(Ping(number: 2))
        #expect(log.entries.isEmpty)
        mailbox.drain()
        #expect(log.entries == [1, 2] && !token.isPaused)
        token.cancel()
    }

    @Test(.rule(43)) func `An async handler hears it first`() async {
        let log = Log<Int>()
        center.post(Ping(number: 1), retaining: .latest)
        let token = center.observe(Ping.self, options: .replayingLatest) { ping in
            await Task.yield()
            log.add(ping.number)
        }
        center.post(Ping(number: 2))
        #expect(await log.arrival(of: 2) == [1, 2])
        token.cancel()
    }

    @Test(.rule(41, 43)) func `A condition is asked about the value`() {
        let log = Log<Int>()
        center.post(Ping(number: 1), retaining: .latest)
        let options = ObservationOptions.replayingLatest
            .where { (ping: Ping) in ping.number.isMultiple(of: 2) }
        let token = center.observe(Ping.self, options: options) { log.add($0.number) }
        center.post(Ping(number: 2))
        #expect(log.entries == [2])
        token.cancel()
    }

    @Test(.rule(43)) func `A one-shot observation ends with the value`() {
        let log = Log<Int>()
        center.post(Ping(number: 1), retaining: .latest)
        let token = center.observe(Ping.self, options: .replayingLatest.once) {
            log.add($0.number)
        }
        center.post(Ping(number: 2))
        #expect(log.entries == [1] && token.isCancelled)
    }

    @Test(.rule(43)) func `A value that nobody hears yet is no dead letter`() {
        let dead = Log<String>()
        center.onDeadLetter { dead.add($0) }
        #expect(center.post(Ping(number: 1), retaining: .latest).reachedNobody)
        #expect(dead.entries.isEmpty)
        center.post(Ping(number: 2))
        #expect(dead.entries.count == 1)
    }

    @Test(.rule(12, 43))
    func `The value is let go when it is replaced, removed, or its center ends`() {
        final class Payload: Sendable {}
        struct Loaded: NotificationMessage {
            typealias Subject = Item
            let payload: Payload
        }
        func post(_ center: MessageCenter) -> Witness<Payload> {
            let payload = Payload()
            center.post(Loaded(payload: payload), retaining: .latest)
            return Witness(payload)
        }
        let first = post(center)
        #expect(first.isAlive)
        let second = post(center)
        #expect(!first.isAlive && second.isAlive)
        center.removeLatest(Loaded.self)
        #expect(!second.isAlive)
        let third: Witness<Payload>
        do {
            let other = MessageCenter()
            third = post(other)
            #expect(third.isAlive)
        }
        #expect(!third.isAlive)
    }

    @Test(.rule(12, 43)) func `The value ends with its subject, which it does not keep`() {
        let (alive, log) = (Counter(), Log<Int>())
        for number in 0..<1000 {
            let subject = Item()
            let witness = Witness(subject)
            center.post(Ping(number: number), subject: subject, retaining: .latest)
            #expect(center.latest(Ping.self, of: subject)?.number == number)
            if witness.isAlive { alive.add() }
        }
        #expect(alive.value == 1000)
        let token = center.observe(Ping.self, options: .replayingLatest) { log.add($0.number) }
        #expect(log.entries.isEmpty)
        token.cancel()
    }

    @Test(.rule(43)) func `Values of many subjects keep their places while observers come and go`()
    {
        let items = (0..<500).map { _ in Item() }
        for (number, item) in items.enumerated() {
            center.post(Ping(number: number), subject: item, retaining: .latest)
        }
        for _ in 0..<3 {
            let others = (0..<1000).map { _ in Item() }
            let tokens = others.map { center.observe(Ping.self, of: $0) { _ in } }
            for token in tokens { token.cancel() }
        }
        for (number, item) in items.enumerated() {
            #expect(center.latest(Ping.self, of: item)?.number == number)
            #expect(center.removeLatest(Ping.self, of: item)?.number == number)
        }
    }

    @Test(.rule(43)) func `A handler may retain, look up and register while it hears the value`() {
        let (center, log, box) = (center, Log<Int>(), Log<ObservationToken>())
        center.post(Ping(number: 1), retaining: .latest)
        box.add(
            center.observe(Ping.self, options: .replayingLatest) { ping in
                log.add(ping.number)
                guard ping.number == 1 else { return }
                #expect(center.latest(Ping.self)?.number == 1)
                center.post(Ping(number: 2), retaining: .latest)
                box.add(
                    center.observe(Ping.self, options: .replayingLatest) { log.add(10 * $0.number) }
                )
            })
        #expect(log.entries == [1, 20, 2])
        for token in box.entries { token.cancel() }
    }

    @Test(.rule(43))
    func `Who registers during posts hears each value once, in order, and the last`() {
        let center = center
        let (isDone, wrong) = (Flag(), Log<[Int]>())
        onThreads(3) { index in
            if index == 0 {
                for number in 1...30_000 { center.post(Ping(number: number), retaining: .latest) }
                isDone.set()
                return
            }
            while !isDone.isSet {
                let log = Log<Int>()
                let token = center.observe(Ping.self, options: .replayingLatest) {
                    log.add($0.number)
                }
                for _ in 0..<50 { _ = center.latest(Ping.self) }
                let latest = center.latest(Ping.self)?.number ?? 0
                token.cancelAndWait()
                let heard = log.entries
                let first = heard.first ?? 0
                // One thread posts: every number from the first on, without a gap, up to the
                // latest.
                let expected = Array(first..<(first + heard.count))
                if heard != expected || (heard.last ?? 0) < latest - 1 { wrong.add(heard) }
            }
        }
        #expect(wrong.entries.isEmpty)
    }

    @Test(.rule(43))
    func `Through mailboxes, who registers during posts hears each value once, in order`() {
        let center = center
        let (isDone, wrong) = (Flag(), Log<[Int]>())
        onThreads(2) { index in
            if index == 0 {
                for number in 1...20_000 { center.post(Ping(number: number), retaining: .latest) }
                isDone.set()
                return
            }
            let mailbox = DeliveryMailbox(target: HandDrained())
            while !isDone.isSet {
                let log = Log<Int>()
                let token = center.observe(
                    Ping.self, on: .mailbox(mailbox), options: .replayingLatest
                ) { log.add($0.number) }
                for _ in 0..<5 { mailbox.drain() }
                token.cancel()
                let heard = log.entries
                let first = heard.first ?? 0
                if heard != Array(first..<(first + heard.count)) { wrong.add(heard) }
            }
        }
        #expect(wrong.entries.isEmpty)
    }
}

extension LatestTests {
    @Test(.rule(12, 43)) func `A post that waits keeps its message`() async throws {
        let log = Log<Int>()
        let hears = center.observe(Ping.self, options: .queued) { log.add($0.number) }
        try await onOwnThread { [center] in
            try center.postAndWait(Ping(number: 1), retaining: .latest, timeout: .seconds(240))
            #expect(log.entries == [1] && center.latest(Ping.self)?.number == 1)
            try center.postWhenRoom(Ping(number: 2), retaining: .latest, timeout: .seconds(240))
            #expect(center.latest(Ping.self)?.number == 2)
        }
        try await center.postAndWait(Ping(number: 3), retaining: .latest)
        try await center.postWhenRoom(Ping(number: 4), retaining: .latest)
        #expect(center.latest(Ping.self)?.number == 4)
        try await center.postAndWait(Ping(number: 5))
        #expect(log.entries == [1, 2, 3, 4, 5] && center.latest(Ping.self)?.number == 4)
        hears.cancel()
    }

    @Test(.rule(12, 43)) func `A post that waits for another thread keeps its message`() throws {
        let log = Log<Int>()
        let worker = try PollableMailbox(label: "worker")
        let hears = center.observe(Ping.self, on: .mailbox(worker)) { log.add($0.number) }
        #expect(throws: PostWaitError.self) {
            try center.postAndWait(Ping(number: 1), retaining: .latest, timeout: .zero)
        }
        #expect(center.latest(Ping.self)?.number == 1 && log.entries == [])
        worker.drain()
        #expect(log.entries == [1])
        hears.cancel()
    }

    @Test(.rule(30, 43)) func `A stream begins with the latest, if it asks for it`() async {
        center.post(Ping(number: 1), retaining: .latest)
        let stream = center.stream(Ping.self, options: .replayingLatest)
        center.post(Ping(number: 2))
        var numbers: [Int?] = []
        for await event in stream.prefix(2) { numbers.append(event.message?.number) }
        #expect(numbers == [1, 2])
    }

    @Test(.rule(29, 43)) func `A value for a context that has ended is reported`() {
        let problems = Log<DeliveryProblem>()
        center.onProblem { problems.add($0) }
        center.post(Ping(number: 1), retaining: .latest)
        let mailbox = DeliveryMailbox(target: HandDrained())
        mailbox.close()
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .replayingLatest
        ) { _ in }
        #expect(problems.entries.map(\.kind) == [.undeliverable])
        token.cancel()
    }
}
