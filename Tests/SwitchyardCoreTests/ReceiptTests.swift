// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@testable import SwitchyardCore

private actor Account {}

@Suite("Receipts, snapshots and times") struct ReceiptAndSnapshotTests {
    private let center = MessageCenter()

    @Test(.rule(28, 30)) func `A loss of a stream shows in the receipt of the post that caused it`()
    {
        let newest = center.stream(Ping.self, buffering: .dropOldest(above: 1))
        #expect(center.postAndReport(Ping()).description == "1 delivered")
        #expect(center.postAndReport(Ping()).description == "1 delivered, 1 dropped")
        let oldest = center.stream(Tick.self, buffering: .dropNewest(above: 1))
        #expect(center.postAndReport(Tick()).description == "1 delivered")
        #expect(center.postAndReport(Tick()).description == "1 dropped")
        #expect(center.snapshot().entries.map(\.lost) == [1, 1])
        withExtendedLifetime((newest, oldest)) {}
    }

    @Test(.rule(33)) func `A snapshot shows the bound and the pace, without the user's code`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let ended = Counter()
        let probe = Probe(ended)
        let bound = DeliveryBound.keepLatest(above: 5) { (ping: Ping) in
            probe.touch()
            return ping.number
        }
        let bounded = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(bound)
        ) { _ in }
        let paced = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .paced(.debounce(.seconds(9)))
        ) { _ in }
        let options = center.snapshot().entries.map(\.options)
        #expect(options.map { $0.bound?.limit } == [5, nil])
        #expect(options.map { $0.pace?.interval } == [nil, .seconds(9)])
        bounded.cancel()
        withExtendedLifetime(paced) {}
    }

    @Test(.rule(15)) func `A bound's key is released with its observation`() {
        let (mailbox, ended) = (DeliveryMailbox(target: HandDrained()), Counter())
        func observe() -> ObservationToken {
            let probe = Probe(ended)
            let bound = DeliveryBound.keepLatest { (ping: Ping) in
                probe.touch()
                return ping.number
            }
            return center.observe(
                Ping.self, on: .mailbox(mailbox), options: .bounded(bound)
            ) { _ in }
        }
        let token = observe()
        center.post(Ping())
        token.cancel()
        #expect(ended.value == 1)
    }

    /// No bound, and one bound of each kind.
    private static let bounds: [DeliveryBound?] = [
        nil, .wait(above: 3), .dropOldest(above: 3),
        .keepLatest(per: { (ping: Ping) in ping.number }),
    ]

    @Test(.rule(12, 18), .timeLimit(.minutes(4)), arguments: bounds)
    func `A wait for an actor that has ended says that its observers expired`(
        bound: DeliveryBound?
    ) async throws {
        func observe() -> ObservationToken {
            var options = ObservationOptions.standard
            options.bound = bound
            return center.observe(Ping.self, on: .actor(Account()), options: options) { _ in }
        }
        let token = observe()
        let receipt = try await center.postAndWait(Ping(), timeout: .seconds(200))
        #expect(receipt.expired == 1)
        #expect(receipt.delivered == 0)
        token.cancel()
    }

    @Test(.timeLimit(.minutes(4))) func `A time limit that no clock can add up is a long one`()
        async throws
    {
        let forever = Duration.seconds(Int64.max)
        let token = center.observe(Ping.self) { (_: Ping) async in }
        #expect(try await center.postAndWait(Ping(), timeout: forever).delivered == 1)
        #expect(try await center.postWhenRoom(Ping(), timeout: forever).queued == 1)
        token.cancel()
        let paces: [DeliveryPace] = [.debounce(forever), .throttle(forever)]
        for pace in paces {
            let paced = center.observe(Ping.self, options: .paced(pace)) { _ in }
            center.post(Ping())
            center.post(Ping())
            paced.cancel()
        }
        #expect((.zero - forever).withinACentury < .zero)
    }
}

@Suite("Inline deliveries, and cycles that are none") struct InlineAndCycleTests {
    private let center = MessageCenter()
    private let target = HandDrained()

    @Test(.rule(10)) func `A paced observer hears inline on the poster's own context`() throws {
        let mailbox = DeliveryMailbox(target: target)
        let clock = SteppedClock()
        let heard = Log<Int>()
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .paced(.throttle(.seconds(1), clock: clock))
        ) { heard.add($0.number) }
        target.isHere.store(true, ordering: .relaxed)
        #expect(center.postAndReport(Ping(number: 1)).delivered == 1)
        clock.advance(by: .seconds(2))
        // A post that waits for the observer finds no cycle.
        #expect(try center.postAndWait(Ping(number: 2), timeout: .seconds(240)).delivered == 1)
        #expect(heard.entries == [1, 2])
        token.cancel()
    }

    @Test(.rule(10)) func `A paced observer does not overtake what waits`() {
        let mailbox = DeliveryMailbox(target: target)
        let heard = Log<String>()
        let tokens = [
            center.observe(Tick.self, on: .mailbox(mailbox)) { _ in heard.add("tick") },
            center.observe(
                Ping.self, on: .mailbox(mailbox), options: .paced(.throttle(.milliseconds(1)))
            ) { _ in heard.add("ping") },
        ]
        center.post(Tick())
        target.isHere.store(true, ordering: .relaxed)
        #expect(center.postAndReport(Ping()).queued == 1)
        mailbox.drain()
        #expect(heard.entries == ["tick", "ping"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12), .timeLimit(.minutes(4)))
    func `A second call of a concurrent handler is no cycle`() async throws {
        struct Ask: NotificationMessage { var depth: Int }
        struct Work: NotificationMessage {}
        let (center, log) = (center, Log<String>())
        let asked = center.observe(Ask.self, options: .concurrent) { (ask: Ask) async throws in
            log.add("call \(ask.depth)")
            if ask.depth == 0 { try await center.postAndWait(Work(), timeout: .seconds(200)) }
        }
        let worked = center.observe(Work.self) { (_: Work) async throws in
            try await center.postAndWait(Ask(depth: 1), timeout: .seconds(200))
            log.add("work is done")
        }
        let problems = Counter()
        center.onProblem { _ in problems.add() }
        try await center.postAndWait(Ask(depth: 0), timeout: .seconds(200))
        #expect(log.entries == ["call 0", "call 1", "work is done"])
        #expect(problems.value == 0)
        asked.cancel()
        worked.cancel()
    }

    @Test(.rule(12), .timeLimit(.minutes(4)))
    func `A second call of a serial handler is still detected as a cycle`()
        async
        throws
    {
        struct Ask: NotificationMessage { var depth: Int }
        let (center, log) = (center, Log<String>())
        let token = center.observe(Ask.self) { (ask: Ask) async in
            guard ask.depth == 0 else { return }
            do throws(PostWaitError) {
                try await center.postAndWait(Ask(depth: 1), timeout: .seconds(200))
            } catch {
                log.add("\(error.code)")
            }
        }
        try await center.postAndWait(Ask(depth: 0), timeout: .seconds(200))
        #expect(log.entries == ["\(PostWaitError.Code.cycle)"])
        token.cancel()
    }
}

@Suite("Objects handed to a target") struct TargetRightTests {
    @Test(.rule(21))
    func `An object that is released for a target is destroyed at the target's next turn`() {
        let (target, ended) = (HandDrained(), Counter())
        let mailbox = DeliveryMailbox(target: target)
        mailbox.shared.releaseOnTarget(.passRetained(Probe(ended)))
        #expect(ended.value == 0)
        #expect(target.wakeUps.load(ordering: .relaxed) == 1)
        mailbox.drain()
        #expect(ended.value == 1)
        // A release within a drain asks the target for another turn.
        let center = MessageCenter()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in
            mailbox.shared.releaseOnTarget(.passRetained(Probe(ended)))
        }
        center.post(Ping())
        let before = target.wakeUps.load(ordering: .relaxed)
        mailbox.drain()
        #expect(target.wakeUps.load(ordering: .relaxed) == before + 1)
        #expect(ended.value == 1)
        mailbox.drain()
        #expect(ended.value == 2)
        mailbox.shared.releaseOnTarget(.passRetained(Probe(ended)))
        mailbox.close()
        #expect(ended.value == 3)
        token.cancel()
    }
}

/// A clock that moves when the test says so. No task sleeps on it.
private final class SteppedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    private let time = Guarded(Duration.zero)
    var now: Instant { Instant(time: time.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        throw CancellationError()
    }
}
