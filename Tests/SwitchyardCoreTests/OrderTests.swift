// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

@Suite("Order") struct OrderTests {
    let center = MessageCenter()

    @Test(.rule(7))
    func `A post reaches observers in order of registration, wildcard and specific ones mixed`() {
        let item = Item()
        let log = Log<Int>()
        let tokens = (0..<100).map { number in
            number.isMultiple(of: 3)
                ? center.observe(Ping.self) { _ in log.add(number) }
                : center.observe(Ping.self, of: item) { _ in log.add(number) }
        }
        center.post(Ping(), subject: item)
        #expect(log.entries == Array(0..<100))
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(7)) func `The order stays when observers come and go`() {
        let log = Log<Int>()
        var tokens = (0..<100).map { number in center.observe(Ping.self) { _ in log.add(number) } }
        for index in stride(from: 99, through: 0, by: -2) { tokens.remove(at: index).cancel() }
        tokens += (100..<150).map { number in center.observe(Ping.self) { _ in log.add(number) } }
        center.post(Ping())
        #expect(log.entries == Array(stride(from: 0, to: 100, by: 2)) + Array(100..<150))
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(7))
    func `Observers with and without name and object are called in order of registration`() {
        let engine = center.engine
        let log = Log<Int>()
        let item = Item()
        let keys: [(Topic, Subject)] = [
            (.anyName, .none), (.name("a"), Subject(instance: item)), (.name("a"), .none),
            (.anyName, Subject(instance: item)), (.name("b"), .none),
        ]
        let observations = (0..<20).map { number in
            let (topic, subject) = keys[number % 5]
            return engine.add(
                ClosureHandler<Int> { _ in log.add(number) }, topic: topic, subject: subject,
                mailbox: nil, options: .standard, origin: RegistrationSite("test", 0))
        }
        let topic = Topic.name("a")
        let subject = Subject(instance: item)
        _ = engine.deliver(
            1, of: Posting(topic, about: subject), to: engine.registry.match(topic, subject))
        #expect(log.entries == (0..<20).filter { $0 % 5 != 4 })
        for observation in observations { observation.cancel() }
    }

    @Test(.rule(7)) func `A higher priority comes first, within that post only`() {
        let item = Item()
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self) { log.add("a\($0.number)") },
            center.observe(Ping.self, of: item, options: .priority(-1)) {
                log.add("z\($0.number)")
            },
            center.observe(Ping.self, options: .priority(5)) { log.add("p\($0.number)") },
            center.observe(Ping.self, of: item) { log.add("b\($0.number)") },
            center.observe(Ping.self, options: .priority(5)) { log.add("q\($0.number)") },
        ]
        center.post(Ping(number: 1), subject: item)
        center.post(Ping(number: 2), subject: item)
        #expect(
            log.entries == ["p1", "q1", "a1", "b1", "z1", "p2", "q2", "a2", "b2", "z2"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(7)) func `A priority does not move mail ahead of an earlier post`() {
        let hand = DeliveryMailbox(target: HandDrained())
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self, on: .mailbox(hand)) { log.add("low \($0.number)") },
            center.observe(Ping.self, on: .mailbox(hand), options: .priority(1)) {
                log.add("high \($0.number)")
            },
        ]
        center.post(Ping(number: 1))
        center.post(Ping(number: 2))
        hand.drain()
        #expect(log.entries == ["high 1", "low 1", "high 2", "low 2"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(8)) func `Posts of each thread arrive first in, first out, across observers`() {
        let hand = DeliveryMailbox(target: HandDrained())
        let log = Log<(thread: Int, post: Int)>()
        // Two observers of two message types share one context.
        struct Pong: NotificationMessage {
            var thread: Int
            var post: Int
        }
        struct Pung: NotificationMessage {
            var thread: Int
            var post: Int
        }
        let tokens = [
            center.observe(Pong.self, on: .mailbox(hand)) { log.add(($0.thread, $0.post)) },
            center.observe(Pung.self, on: .mailbox(hand)) { log.add(($0.thread, $0.post)) },
        ]
        onThreads(4) { [center] thread in
            for post in 0..<5000 {
                if post.isMultiple(of: 2) {
                    center.post(Pong(thread: thread, post: post))
                } else {
                    center.post(Pung(thread: thread, post: post))
                }
            }
        }
        while hand.depth > 0 { hand.drain() }
        let entries = log.entries
        #expect(entries.count == 20_000)
        for thread in 0..<4 {
            let posts = entries.filter { $0.thread == thread }.map(\.post)
            #expect(posts == Array(0..<5000))
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(10))
    func `A post on its target is inline when nothing waits, else queued behind the waiting mail`()
    {
        let target = HandDrained()
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        center.post(Ping(number: 1))
        target.isHere.store(true, ordering: .relaxed)
        center.post(Ping(number: 2))
        #expect(log.entries == [])
        mailbox.drain()
        #expect(log.entries == [1, 2])
        #expect(center.postAndReport(Ping(number: 3)).delivered == 1)
        #expect(log.entries == [1, 2, 3])
        token.cancel()
    }

    @Test(.rule(10))
    func `Inline or queued is decided once per post for all observers of a context`() {
        let target = HandDrained()
        target.isHere.store(true, ordering: .relaxed)
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self, on: .mailbox(mailbox)) { [center] ping in
                log.add("first")
                // Mail comes between the two calls, and the second observer is still called inline.
                onThreads(1) { _ in
                    target.isHere.store(false, ordering: .relaxed)
                    center.post(Tick())
                    target.isHere.store(true, ordering: .relaxed)
                }
            },
            center.observe(Ping.self, on: .mailbox(mailbox)) { _ in log.add("second") },
            center.observe(Tick.self, on: .mailbox(mailbox)) { _ in log.add("tick") },
        ]
        #expect(center.postAndReport(Ping()).delivered == 2)
        #expect(log.entries == ["first", "second"])
        mailbox.drain()
        #expect(log.entries == ["first", "second", "tick"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(10)) func `A post from a mailbox's handler to that mailbox is queued`() {
        let target = HandDrained()
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self, on: .mailbox(mailbox)) { [center] _ in
                target.isHere.store(true, ordering: .relaxed)
                log.add("ping")
                center.post(Tick())
                log.add("ping ends")
            },
            center.observe(Tick.self, on: .mailbox(mailbox)) { _ in log.add("tick") },
        ]
        center.post(Ping())
        mailbox.drain()
        #expect(log.entries == ["ping", "ping ends"])
        mailbox.drain()
        #expect(log.entries == ["ping", "ping ends", "tick"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(10)) func `A post from a handler that was delivered inline is queued as well`() {
        let target = HandDrained()
        target.isHere.store(true, ordering: .relaxed)
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self, on: .mailbox(mailbox)) { [center] ping in
                log.add("a\(ping.number)")
                if ping.number == 0 { center.post(Ping(number: 1)) }
            },
            center.observe(Ping.self, on: .mailbox(mailbox)) { log.add("b\($0.number)") },
        ]
        center.post(Ping(number: 0))
        #expect(log.entries == ["a0", "b0"])
        mailbox.drain()
        #expect(log.entries == ["a0", "b0", "a1", "b1"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(7)) func `A post sorts no observers any more when the last priority has gone`() {
        let token = center.observe(Ping.self) { _ in }
        center.observe(Ping.self, options: .priority(1)) { _ in }.cancel()
        let isSorted = token.observation.bucket.hasPriorities
        #expect(!isSorted)
        token.cancel()
    }

    @Test(.rule(10)) func `The option queued always delivers through the mailbox`() {
        let target = HandDrained()
        target.isHere.store(true, ordering: .relaxed)
        let mailbox = DeliveryMailbox(target: target)
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .mailbox(mailbox), options: .queued) {
            log.add($0.number)
        }
        #expect(center.postAndReport(Ping(number: 1)).queued == 1)
        #expect(log.entries == [])
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test(.rule(22)) func `Nested posts on the posting thread run depth first`() {
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self) { [center] ping in
                log.add("a\(ping.number)")
                if ping.number < 200 { center.post(Ping(number: ping.number + 1)) }
            },
            center.observe(Ping.self) { log.add("b\($0.number)") },
        ]
        // The posts nest deeper than one hazard record has room for.
        center.post(Ping())
        #expect(log.entries == (0...200).map { "a\($0)" } + (0...200).reversed().map { "b\($0)" })
        withExtendedLifetime(tokens) {}
    }
}
