// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// Eight threads use a center at random, for a bounded number of steps. They check these
/// properties: no delivery after cancel, none to a dead observer, none lost, order kept, captures
/// released once, and nothing left behind.
@Suite("Stress", .serialized) struct StressTests {
    static let threads = 8
    static let steps = 3000

    /// A message that says who posted it, and as which of that thread's posts.
    protocol NumberedMessage: NotificationMessage where Subject == Item {
        init(thread: Int, number: Int)
        var thread: Int { get }
        var number: Int { get }
    }

    /// A message that waits as its bits.
    struct Numbered: NumberedMessage {
        typealias Subject = Item
        var thread: Int
        var number: Int
    }

    /// A message that waits in a parcel.
    struct Wrapped: NumberedMessage {
        typealias Subject = Item
        private let content: Content
        var thread: Int { content.thread }
        var number: Int { content.number }
        init(thread: Int, number: Int) { content = Content(thread, number) }

        private final class Content: Sendable {
            let thread: Int
            let number: Int
            init(_ thread: Int, _ number: Int) { (self.thread, self.number) = (thread, number) }
        }
    }

    /// An observer of all messages in a context, which checks the order of each poster's messages.
    final class OrderCheck: Sendable {
        private let last = Guarded<[Int]>(Array(repeating: -1, count: StressTests.threads))
        let heard = Counter()
        let faults = Counter()

        func hear<Message: NumberedMessage>(_ message: Message) {
            heard.add()
            last.withLock { last in
                if message.number <= last[message.thread] { faults.add() }
                last[message.thread] = message.number
            }
        }
    }

    @Test(.rule(8, 13, 15), arguments: [Numbered.self, Wrapped.self] as [any NumberedMessage.Type])
    func `No delivery is lost, late, twice, or out of order, and no object is left behind`(
        message: any NumberedMessage.Type
    ) { stress(message) }

    private func stress<Message: NumberedMessage>(_ type: Message.Type) {
        let center = MessageCenter()
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let checks = mailboxes.map { _ in OrderCheck() }
        let constant = zip(mailboxes, checks).map { mailbox, check in
            center.observe(type, on: .mailbox(mailbox)) { check.hear($0) }
        }
        let world = World<Message>(center, mailboxes)
        onThreads(Self.threads) { world.run(on: $0) }
        for mailbox in mailboxes { while mailbox.depth > 0 { mailbox.drain() } }
        for check in checks {
            #expect(check.faults.value == 0)
            #expect(check.heard.value == world.posts.value)
        }
        #expect(world.late.value == 0)
        #expect(world.made.value == world.released.value)
        // The last post to the observers that died ends their registrations.
        center.post(Message(thread: 0, number: .max))
        for mailbox in mailboxes { mailbox.drain() }
        for token in constant { token.cancel() }
        // Adding and removing frees the lists that a post still walked when they were replaced.
        for _ in 0..<64 { center.observe(Ping.self) { _ in }.cancel() }
        #expect(center.snapshot().entries.isEmpty)
        #expect(center.engine.registry.state.withLock { $0.retired.isEmpty })
    }

    /// The center, mailboxes and observations that the threads act on.
    final class World<Message: NumberedMessage>: Sendable {
        let center: MessageCenter
        let mailboxes: [DeliveryMailbox]
        /// One thread at a time drains a mailbox.
        let drains: [Drain]
        let posts = Counter()
        let late = Counter()
        let made = Counter()
        let released = Counter()

        init(_ center: MessageCenter, _ mailboxes: [DeliveryMailbox]) {
            self.center = center
            self.mailboxes = mailboxes
            drains = mailboxes.map { Drain($0) }
        }

        func run(on thread: Int) {
            var random = Random(seed: UInt64(thread) + 1)
            var mine = Mine<Message>()
            for _ in 0..<StressTests.steps { step(thread, &mine, &random) }
            for token in mine.tokens { end(token, &random) }
        }

        private func step(_ thread: Int, _ mine: inout Mine<Message>, _ random: inout Random) {
            switch random.next(below: 12) {
            case 0...3: post(thread, &mine, &random)
            case 4, 5: add(&mine, &random)
            case 6, 7: if let token = mine.tokens.popLast() { end(token, &random) }
            case 8: mine.item = Item()
            case 9: hear(&mine, &random)
            case 10: if !mine.hearers.isEmpty { mine.hearers.removeFirst() }
            default: drains[random.next(below: drains.count)].drain()
            }
        }

        private func post(_ thread: Int, _ mine: inout Mine<Message>, _ random: inout Random) {
            let message = Message(thread: thread, number: mine.posted)
            mine.posted += 1
            posts.add()
            if random.next(below: 2) == 0 {
                center.post(message)
            } else {
                center.post(message, subject: mine.item)
            }
        }

        private func add(_ mine: inout Mine<Message>, _ random: inout Random) {
            made.add()
            let guardian = Guardian(released)
            let context =
                random.next(below: 3) == 0
                ? DeliveryContext.mailbox(mailboxes[random.next(below: mailboxes.count)]) : .poster
            let item = random.next(below: 2) == 0 ? mine.item : nil
            let once = random.next(below: 4) == 0
            let token = center.observe(
                Message.self, of: item, on: context, options: once ? .once : .standard
            ) { [late] _ in
                if guardian.isOver.isSet { late.add() }
            }
            mine.tokens.append(Registered(token: token, isOver: guardian.isOver))
        }

        /// Registers a method of an object that is dropped sooner or later, without a removal.
        private func hear(_ mine: inout Mine<Message>, _ random: inout Random) {
            let hearer = Hearer<Message>(late)
            let mailbox = mailboxes[random.next(below: mailboxes.count)]
            center.observe(Message.self, with: hearer, Hearer.hear)
            center.observe(Message.self, with: hearer, Hearer.hear, on: .mailbox(mailbox))
            mine.hearers.append(hearer)
        }

        /// Cancels, waits until the claimed calls have ended, and from then on takes a call for
        /// late.
        private func end(_ registered: Registered, _ random: inout Random) {
            if random.next(below: 2) == 0 {
                registered.token.cancel()
                while registered.token.observation.isInFlight {}
            } else {
                registered.token.cancelAndWait()
            }
            registered.isOver.set()
        }
    }

    struct Mine<Message: NumberedMessage> {
        var tokens: [Registered] = []
        var hearers: [Hearer<Message>] = []
        var item = Item()
        var posted = 0
    }

    struct Registered {
        let token: ObservationToken
        let isOver: Flag
    }

    /// An observer object: its method must not be entered once its deinit has begun.
    final class Hearer<Message: NumberedMessage>: Sendable {
        private let isDying = Flag()
        private let late: Counter
        init(_ late: Counter) { self.late = late }
        deinit { isDying.set() }
        func hear(_ message: Message) { if isDying.isSet { late.add() } }
    }

    /// A capture of a handler, which is released once, with the handler.
    final class Guardian: Sendable {
        let isOver = Flag()
        private let released: Counter
        init(_ released: Counter) { self.released = released }
        deinit { released.add() }
    }

    /// Drains a mailbox on whichever thread comes, one at a time, as a serial queue would.
    final class Drain: Sendable {
        private let mailbox: DeliveryMailbox
        private let isBusy = Atomic<Bool>(false)
        init(_ mailbox: DeliveryMailbox) { self.mailbox = mailbox }
        func drain() {
            if isBusy.exchange(true, ordering: .acquiring) { return }
            mailbox.drain()
            isBusy.store(false, ordering: .releasing)
        }
    }

    /// Random numbers that are the same in every run.
    struct Random {
        private var state: UInt64
        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
        }
    }
}
