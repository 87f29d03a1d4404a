// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

@Suite("Removal and lifetime") struct RemovalTests {
    let center = MessageCenter()

    @Test(.rule(13)) func `No delivery is made after cancel, not even of mail that waits`() {
        let hand = DeliveryMailbox(target: HandDrained())
        let log = Log<String>()
        let here = center.observe(Ping.self) { _ in log.add("here") }
        let there = center.observe(Ping.self, on: .mailbox(hand)) { _ in log.add("there") }
        center.post(Ping())
        here.cancel()
        there.cancel()
        there.cancel()
        hand.drain()
        center.post(Ping())
        #expect(log.entries == ["here"])
        #expect(here.isCancelled)
    }

    @Test(.rule(13)) func `Cancel does not wait for a handler that runs elsewhere`() {
        let (entered, leave) = (Gate(), Gate())
        let log = Log<String>()
        let token = center.observe(Ping.self) { _ in
            entered.arrive()
            leave.wait()
            log.add("handler ends")
        }
        onThreads(2) { [center] thread in
            if thread == 0 {
                center.post(Ping())
            } else {
                entered.wait()
                token.cancel()
                log.add("cancelled")
                leave.arrive()
            }
        }
        #expect(log.entries == ["cancelled", "handler ends"])
    }

    @Test(.rule(15))
    func `Posts pass over a cancelled observation while its handler runs on another thread`() {
        let (center, entered, leave) = (center, Gate(), Gate())
        let token = center.observe(Ping.self) { _ in
            entered.arrive()
            leave.wait()
        }
        // Without another observer, posts come to no list.
        let other = center.observe(Ping.self) { _ in }
        onThreads(2) { index in
            if index == 0 { return center.post(Ping()) }
            entered.wait()
            token.cancel()
            #expect(token.observation.bucket.dead == 1)
            // This one meets the observation, and takes it out of the list.
            center.post(Ping())
            #expect(token.observation.bucket.dead == 0)
            leave.open()
        }
        other.cancel()
    }

    @Test(.rule(13)) func `No delivery starts after cancel returned, under fire`() {
        // In each round, two threads post without pause while a third cancels and then looks.
        for _ in 0..<200 {
            let (cancelled, stop) = (Flag(), Flag())
            let late = Counter()
            let token = center.observe(Ping.self) { _ in if cancelled.isSet { late.add() } }
            onThreads(3) { [center] thread in
                if thread < 2 {
                    while !stop.isSet { center.post(Ping()) }
                } else {
                    for _ in 0..<50 { center.post(Ping()) }
                    token.cancel()
                    // A delivery that started before has its claim, and may end.
                    while token.observation.isInFlight {}
                    cancelled.set()
                    for _ in 0..<50 { center.post(Ping()) }
                    stop.set()
                }
            }
            #expect(late.value == 0)
        }
    }

    @Test(.rule(13))
    func `No delivery starts after cancel while another thread is still inside the handler`() {
        let (entered, leave) = (Gate(), Gate())
        let calls = Counter()
        let token = center.observe(Ping.self) { _ in
            if calls.add() == 1 {
                entered.arrive()
                leave.wait()
            }
        }
        onThreads(2) { [center] thread in
            if thread == 0 {
                center.post(Ping())
            } else {
                entered.wait()
                token.cancel()
                // The observation is cancelled and not released: the other thread is inside the
                // handler.
                center.post(Ping())
                leave.arrive()
            }
        }
        #expect(calls.value == 1)
    }

    @Test(.rule(15)) func `Captures live while a handler runs, under fire`() {
        // The handler's capture is the only reference to the guardian.
        let faults = Counter()
        let stop = Flag()
        let rounds = 20_000
        let flags = (0..<rounds).map { _ in Flag() }
        onThreads(3) { [center] thread in
            if thread > 0 {
                while !stop.isSet { center.post(Ping()) }
            } else {
                for round in 0..<rounds {
                    let guardian = Guardian(flags[round])
                    // The address is of a flag that the test keeps, so it needs no retain.
                    let address = Unmanaged.passUnretained(flags[round])
                    let token = center.observe(Ping.self) { _ in
                        // The handler looks several times, so that it sees a release in between.
                        for _ in 0..<20 {
                            if address._withUnsafeGuaranteedRef(\.isSet) { faults.add() }
                        }
                        guardian.touch()
                    }
                    token.cancel()
                }
                stop.set()
            }
        }
        #expect(faults.value == 0)
        #expect(flags.allSatisfy { $0.isSet })
    }

    @Test(.rule(15)) func `Cancel releases captures when nothing is in flight`() {
        let released = Counter()
        let hand = DeliveryMailbox(target: HandDrained())
        let tokens = [nil, hand].map { mailbox in
            let probe = Probe(released)
            let context = mailbox.map { DeliveryContext.mailbox($0) } ?? .poster
            return center.observe(Ping.self, on: context) { _ in probe.touch() }
        }
        center.post(Ping())
        tokens[0].cancel()
        #expect(released.value == 1)
        // The second observation's delivery still waits in the mailbox, and holds the registration
        // without the captures.
        tokens[1].cancel()
        #expect(released.value == 2)
        hand.drain()
    }

    @Test(.rule(15)) func `The delivery that ends last releases captures when one is in flight`() {
        let released = Counter()
        let log = Log<String>()
        let inside = Gate(2)
        let leave = [Gate(), Gate()]
        let left = [Gate(), Gate()]
        let token = {
            let probe = Probe(released)
            return center.observe(Ping.self) { ping in
                inside.arrive()
                leave[ping.number].wait()
                probe.touch()
            }
        }()
        onThreads(3) { [center] thread in
            if thread < 2 {
                center.post(Ping(number: thread))
                left[thread].arrive()
            } else {
                inside.wait()
                token.cancel()
                log.add("cancelled: \(released.value)")
                leave[0].arrive()
                left[0].wait()
                log.add("one left: \(released.value)")
                leave[1].arrive()
                left[1].wait()
                log.add("both left: \(released.value)")
            }
        }
        #expect(log.entries == ["cancelled: 0", "one left: 0", "both left: 1"])
    }

    @Test(.rule(15)) func `A handler elsewhere in the same post does not hold captures back`() {
        let released = Counter()
        let (inside, leave) = (Gate(), Gate())
        let first = center.observe(Ping.self) { _ in
            inside.arrive()
            leave.wait()
        }
        let second = {
            let probe = Probe(released)
            return center.observe(Ping.self) { _ in probe.touch() }
        }()
        onThreads(2) { [center] thread in
            if thread == 0 {
                center.post(Ping())
            } else {
                inside.wait()
                second.cancel()
                #expect(released.value == 1)
                leave.arrive()
            }
        }
        first.cancel()
    }

    @Test(.rule(15)) func `A handler that cancels itself keeps its captures until it returns`() {
        let released = Counter()
        let log = Log<String>()
        let box = Log<ObservationToken>()
        do {
            let probe = Probe(released)
            box.add(
                center.observe(Ping.self) { _ in
                    box.entries[0].cancel()
                    log.add("inside: \(released.value)")
                    probe.touch()
                })
        }
        center.post(Ping())
        log.add("after: \(released.value)")
        #expect(log.entries == ["inside: 0", "after: 1"])
    }

    @Test(.rule(15)) func `Every capture is released exactly once, under fire`() {
        let released = Counter()
        let rounds = 2000
        onThreads(3) { [center] thread in
            if thread > 0 {
                for _ in 0..<rounds * 10 { center.post(Ping()) }
            } else {
                for _ in 0..<rounds {
                    let probe = Probe(released)
                    let token = center.observe(Ping.self) { _ in probe.touch() }
                    token.cancel()
                }
            }
        }
        #expect(released.value == rounds)
    }

    @Test(.rule(16)) func `A handler that removes a later observer stops it`() {
        let log = Log<String>()
        let later = Log<ObservationToken>()
        let first = center.observe(Ping.self) { _ in
            log.add("first")
            later.entries[0].cancel()
        }
        later.add(center.observe(Ping.self) { _ in log.add("second") })
        center.post(Ping())
        #expect(log.entries == ["first"])
        first.cancel()
    }

    @Test(.rule(16))
    func `A one-shot observer is called once, inline, queued and under concurrent posts`() {
        let hand = DeliveryMailbox(target: HandDrained())
        let calls = Counter()
        let released = Counter()
        for context in [DeliveryContext.poster, .mailbox(hand)] {
            for _ in 0..<200 {
                let probe = Probe(released)
                let token = center.observe(Ping.self, on: context, options: .once) { _ in
                    probe.touch()
                    calls.add()
                }
                onThreads(2) { [center] _ in center.post(Ping()) }
                hand.drain()
                #expect(token.isCancelled)
            }
        }
        #expect(calls.value == 400)
        #expect(released.value == 400)
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test(.rule(16))
    func `A one-shot observer is called once when two threads post at the same moment`() {
        // ThreadSanitizer makes threads that wait for each other slower by far.
        let rounds = isThreadSanitized ? 4_000 : 20_000
        let calls = Counter()
        let registered = Counter()
        let posted = Counter()
        onThreads(2) { [center] thread in
            for round in 1...rounds {
                if thread == 0 {
                    let token = center.observe(Ping.self, options: .once) { _ in calls.add() }
                    registered.add()
                    center.post(Ping())
                    posted.add()
                    while posted.value < round * 2 {}
                    withExtendedLifetime(token) {}
                } else {
                    while registered.value < round {}
                    center.post(Ping())
                    posted.add()
                    while posted.value < round * 2 {}
                }
            }
        }
        #expect(calls.value == rounds)
    }

    @Test(.rule(17))
    func `An observer object is held weakly, and strongly only while its method runs`() {
        final class Listener: Sendable {
            let inside = Gate()
            let leave = Gate()
            let log: Log<String>
            init(_ log: Log<String>) { self.log = log }
            deinit { log.add("deinit") }
            func hear(_ ping: Ping) {
                inside.arrive()
                leave.wait()
                log.add("method ends")
            }
        }
        let log = Log<String>()
        let box = Box(Listener(log))
        let (inside, leave) = (box.value.inside, box.value.leave)
        center.observe(Ping.self, with: box.value, Listener.hear)
        onThreads(2) { [center] thread in
            if thread == 0 {
                center.post(Ping())
            } else {
                inside.wait()
                box.drop()
                log.add("dropped")
                leave.arrive()
            }
        }
        #expect(log.entries == ["dropped", "method ends", "deinit"])
        #expect(center.postAndReport(Ping()).reachedNobody)
    }

    @Test(.rule(18)) func `An observer that died before delivery is skipped, counted, and goes`() {
        final class Listener: Sendable { func hear(_ ping: Ping) {} }
        let hand = DeliveryMailbox(target: HandDrained())
        do {
            let listener = Listener()
            center.observe(Ping.self, with: listener, Listener.hear, on: .mailbox(hand))
            center.observe(Ping.self, with: listener, Listener.hear)
            center.post(Ping())
        }
        #expect(center.snapshot().entries.count == 2)
        hand.drain()
        #expect(center.postAndReport(Ping()).expired == 1)
        let snapshot = center.snapshot()
        #expect(snapshot.entries.isEmpty)
        #expect(snapshot.expired == 2)
    }

    @Test(.rule(18)) func `Observers that die without a post leave nothing behind`() {
        final class Listener: Sendable { func hear(_ ping: Ping) {} }
        for _ in 0..<5000 { center.observe(Ping.self, with: Listener(), Listener.hear) }
        #expect(center.snapshot().entries.count < 100)
    }

    @Test(.rule(19)) func `A closure's observation ends with the last copy of its token`() {
        let log = Log<Int>()
        var token: ObservationToken? = center.observe(Ping.self) { log.add($0.number) }
        var copy = token
        token = nil
        center.post(Ping(number: 1))
        copy = nil
        center.post(Ping(number: 2))
        #expect(log.entries == [1])
        withExtendedLifetime((token, copy)) {}
    }

    @Test(.rule(19)) func `A method's registration needs no token, and can be ended by it`() {
        final class Listener: Sendable {
            let log = Log<Int>()
            func hear(_ ping: Ping) { log.add(ping.number) }
        }
        let listener = Listener()
        let token = center.observe(Ping.self, with: listener, Listener.hear)
        do { _ = center.observe(Ping.self, with: listener, Listener.hear) }
        center.post(Ping(number: 1))
        token.cancel()
        center.post(Ping(number: 2))
        center.removeObserver(listener)
        center.post(Ping(number: 3))
        #expect(listener.log.entries == [1, 1, 2])
    }

    @Test(.rule(20))
    func `An observer registered twice is called twice, and the snapshot shows both`() {
        final class Listener: Sendable {
            let log = Log<Int>()
            func hear(_ ping: Ping) { log.add(ping.number) }
        }
        let listener = Listener()
        for _ in 0..<2 { center.observe(Ping.self, with: listener, Listener.hear) }
        center.post(Ping(number: 7))
        #expect(listener.log.entries == [7, 7])
        #expect(center.snapshot().entries.count == 2)
        withExtendedLifetime(listener) {}
    }

    @Test func `A center that goes lets go of its registrations, and delivers what was posted`() {
        let released = Counter()
        let hand = DeliveryMailbox(target: HandDrained())
        let log = Log<Int>()
        var center: MessageCenter? = MessageCenter()
        var token = {
            let probe = Probe(released)
            return center?.observe(Ping.self, on: .mailbox(hand)) {
                probe.touch()
                log.add($0.number)
            }
        }()
        center?.post(Ping(number: 1))
        center = nil
        hand.drain()
        #expect(log.entries == [1])
        token?.cancel()
        token = nil
        #expect(released.value == 1)
    }
}

/// An object that sets a flag when it is destroyed.
private final class Guardian: Sendable {
    private let isGone: Flag
    init(_ isGone: Flag) { self.isGone = isGone }
    deinit { isGone.set() }
    func touch() {}
}
