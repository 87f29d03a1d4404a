// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// A message with a number: one that waits as its bits, or one that needs a parcel.
private protocol Letter: NotificationMessage {
    init(number: Int)
    var number: Int { get }
}

extension Ping: Letter {}

private struct Boxed: Letter {
    private final class Box: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    private let box: Box
    var number: Int { box.number }
    init(number: Int) { box = Box(number) }
}

private let letters: [any Letter.Type] = [Ping.self, Boxed.self]

/// Small payloads wait in a mailbox without a parcel. Most entries hold no reference to the
/// observation, which has to live all the same.
@Suite("Payloads in mailboxes") struct InlinePayloadTests {
    let center = MessageCenter()
    let mailbox = DeliveryMailbox(target: HandDrained())

    struct Named: NotificationMessage { var name: String }
    struct Large: NotificationMessage { var numbers = (1, 2, 3, 4) }
    struct Triple: NotificationMessage { var numbers = (1, 2, 3) }

    @Test
    func `Three words of bits wait in their entry; a larger or counted payload waits in a parcel`()
    {
        let heard = Log<String>()
        let tokens = [
            center.observe(Triple.self, on: .mailbox(mailbox)) { heard.add("\($0.numbers)") },
            center.observe(Large.self, on: .mailbox(mailbox)) { heard.add("\($0.numbers)") },
            center.observe(Named.self, on: .mailbox(mailbox)) { heard.add($0.name) },
        ]
        let inlines = tokens.map { $0.observation.has(Observation.State.inlinesPayload) }
        #expect(inlines == [true, false, false])
        center.post(Triple())
        center.post(Large())
        center.post(Named(name: "a name that is longer than fifteen bytes"))
        mailbox.drain()
        #expect(
            heard.entries == [
                "(1, 2, 3)", "(1, 2, 3, 4)", "a name that is longer than fifteen bytes",
            ])
        for token in tokens { token.cancel() }
    }

    @Test func `Beside a center that watches its mailbox, another's payloads wait as they are`() {
        let (other, heard) = (MessageCenter(), Log<Int>())
        other.onLate(after: .seconds(100), on: .mailbox(mailbox)) { _ in }
        let tokens = [center, other].map { center in
            center.observe(Ping.self, on: .mailbox(mailbox)) { heard.add($0.number) }
        }
        for number in 0..<3 {
            center.post(Ping(number: number))
            other.post(Ping(number: 10 + number))
        }
        var isPayload: [Bool] = []
        mailbox.shared.inbox.withLock(\.entries).visit { isPayload.append($0.isPayload) }
        #expect(isPayload == [true, false, true, false, true, false])
        tokens[0].cancel()
        mailbox.drain()
        #expect(heard.entries == [10, 11, 12])
        #expect(mailbox.depth == 0)
        tokens[1].cancel()
        other.onLate(after: .seconds(100), on: .mailbox(mailbox), nil)
    }

    @Test(arguments: letters)
    fileprivate func `Observations go while their mail waits, and what they captured goes at once`(
        letter: any Letter.Type
    ) { goWhileMailWaits(letter) }

    private func goWhileMailWaits<Message: Letter>(_ type: Message.Type) {
        let released = Counter()
        let heard = Counter()
        for round in 0..<100 {
            var tokens = (0..<3).map { _ in
                let probe = Probe(released)
                return center.observe(Message.self, on: .mailbox(mailbox)) { _ in
                    probe.touch()
                    heard.add()
                }
            }
            for number in 0..<10 { center.post(Message(number: number)) }
            if round % 2 == 0 { mailbox.shared.deliver(atMost: 7) }
            withExtendedLifetime(tokens) {}
            tokens.removeAll()
            #expect(released.value == 3 * (round + 1))
        }
        #expect(heard.value > 0)
        let before = heard.value
        mailbox.drain()
        #expect(heard.value == before)
        #expect(mailbox.depth == 0)
    }

    @Test(.rule(8), arguments: letters)
    fileprivate func `Drains inside handlers go on in order, whichever observation ends meanwhile`(
        letter: any Letter.Type
    ) { drainInside(letter) }

    private func drainInside<Message: Letter>(_ type: Message.Type) {
        let log = Log<Int>()
        let extra = Guarded<[ObservationToken]>([])
        let tokens = (0..<3).map { observer in
            center.observe(Message.self, on: .mailbox(mailbox)) { [center, mailbox] ping in
                log.add(ping.number * 10 + observer)
                if observer == 1 {
                    // The others' mail is delivered inside this call, and the newest observer ends.
                    mailbox.shared.deliver(atMost: 4)
                    extra.withLock { $0.popLast() }?.cancel()
                    let token = center.observe(Tick.self, on: .mailbox(mailbox)) { _ in }
                    extra.withLock { $0.append(token) }
                    center.post(Tick(), subject: "")
                }
            }
        }
        let posted = 0..<200
        for number in posted { center.post(Message(number: number)) }
        while mailbox.depth > 0 { mailbox.drain() }
        #expect(log.entries == posted.flatMap { number in (0..<3).map { number * 10 + $0 } })
        for token in tokens + extra.exchange([]) { token.cancel() }
    }

    @Test(arguments: letters)
    fileprivate func `An observation that ends in its own call lives until the call returns`(
        letter: any Letter.Type
    ) { endInOwnCall(letter) }

    private func endInOwnCall<Message: Letter>(_ type: Message.Type) {
        let heard = Log<Int>()
        let first = center.observe(Message.self, on: .mailbox(mailbox)) { heard.add($0.number) }
        let own = Guarded<ObservationToken?>(nil)
        let inside: @Sendable (Message) -> Void = { [center, mailbox] _ in
            own.exchange(nil)?.cancel()
            // The observation's mail alone keeps it alive from here on: the lists are made anew,
            // and the mail of the other observers is delivered inside this call.
            for _ in 0..<64 { center.observe(Message.self) { _ in }.cancel() }
            mailbox.drain()
        }
        _ = own.exchange(center.observe(Message.self, on: .mailbox(mailbox), using: inside))
        for number in 0..<3 { center.post(Message(number: number)) }
        mailbox.drain()
        #expect(heard.entries == [0, 1, 2])
        first.cancel()
    }

    @Test(.rule(29), arguments: letters)
    fileprivate func
        `A mailbox that closes inside a handler reports the rest, and leaves the call alone`(
            letter: any Letter.Type
        )
    { closeInside(letter) }

    private func closeInside<Message: Letter>(_ type: Message.Type) {
        let reported = Counter()
        center.onProblem { reported.add($0.count) }
        let released = Counter()
        do {
            let probe = Probe(released)
            let token = center.observe(Message.self, on: .mailbox(mailbox)) { [mailbox] _ in
                mailbox.close()
                probe.touch()
            }
            for number in 0..<10 { center.post(Message(number: number)) }
            mailbox.drain()
            token.cancel()
        }
        #expect(reported.value == 9)
        #expect(released.value == 1)
    }

    @Test(arguments: letters)
    fileprivate func `Deliveries are counted, also while the drain goes on`(letter: any Letter.Type)
    { count(letter) }

    private func count<Message: Letter>(_ type: Message.Type) {
        let token = center.observe(Message.self, on: .mailbox(mailbox)) { _ in }
        let other = center.observe(Message.self, on: .mailbox(mailbox)) { _ in }
        for number in 0..<1000 { center.post(Message(number: number)) }
        mailbox.shared.deliver(atMost: 999)
        #expect(center.snapshot().entries.map(\.delivered) == [500, 499])
        mailbox.drain()
        #expect(center.snapshot().entries.map(\.delivered) == [1000, 1000])
        token.cancel()
        other.cancel()
    }

    @Test(.rule(33), arguments: letters)
    fileprivate func `A delivery is counted before the next observer's begins`(
        letter: any Letter.Type
    ) { countFirst(letter) }

    private func countFirst<Message: Letter>(_ type: Message.Type) {
        let log = Log<[UInt64]>()
        let first = center.observe(Message.self, on: .mailbox(mailbox)) { _ in }
        let second = center.observe(Message.self, on: .mailbox(mailbox)) { [center] _ in
            log.add(center.snapshot().entries.map { UInt64($0.delivered) })
        }
        for number in 0..<2 { center.post(Message(number: number)) }
        mailbox.drain()
        #expect(log.entries == [[1, 0], [2, 1]])
        first.cancel()
        second.cancel()
    }

    @Test(arguments: letters)
    fileprivate func `Observations that come and go inside one delivery go at once`(
        letter: any Letter.Type
    ) { comeAndGoInside(letter) }

    private func comeAndGoInside<Message: Letter>(_ type: Message.Type) {
        // A handler that runs its loop and never returns must not gather ended observations.
        let witnesses = Guarded<[Witness<Observation>]>([])
        let outer = center.observe(Tick.self, on: .mailbox(mailbox)) { [center, mailbox] _ in
            for _ in 0..<100 {
                let token = center.observe(Message.self, on: .mailbox(mailbox)) { _ in }
                center.post(Message(number: 0))
                mailbox.drain()
                witnesses.withLock { $0.append(Witness(token.observation)) }
                token.cancel()
            }
            // The mailbox may keep the newest observation until there is other mail, and lists keep
            // some for a while.
            let alive = witnesses.withLock { $0.count(where: \.isAlive) }
            #expect(alive <= 16)
        }
        center.post(Tick(), subject: "")
        mailbox.drain()
        #expect(witnesses.withLock(\.count) == 100)
        outer.cancel()
    }

    @Test(arguments: letters)
    fileprivate func `Observations come and go beside posts and drains, and no mail loses its own`(
        letter: any Letter.Type
    ) { comeAndGoBeside(letter) }

    private func comeAndGoBeside<Message: Letter>(_ type: Message.Type) {
        let stop = Flag()
        let heard = Counter()
        let constant = center.observe(Message.self, on: .mailbox(mailbox)) { _ in heard.add() }
        let posts = Counter()
        onThreads(4) { [self] thread in
            switch thread {
            case 0:
                for _ in 0..<2000 {
                    let probe = Probe(Counter())
                    let token = center.observe(Message.self, on: .mailbox(mailbox)) { _ in
                        probe.touch()
                    }
                    center.post(Message(number: 0))
                    posts.add()
                    withExtendedLifetime(token) {}
                }
                stop.set()
            case 1: while !stop.isSet { mailbox.shared.deliver(atMost: 50) }
            default:
                while !stop.isSet {
                    posts.add()
                    center.post(Message(number: 0))
                }
            }
        }
        mailbox.drain()
        #expect(heard.value == posts.value)
        constant.cancel()
    }
}
