// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Dispatch
import Switchyard
import SwitchyardTesting
import Synchronization
import TestSupport
import Testing

@Suite("Paced deliveries") struct PacedDeliveryTests {
    private let center = Switchyard.NotificationCenter()
    private let clock = ManualClock()
    private let mailbox = ManualMailbox()
    private let log = Log<Int>()

    private func observe(
        _ pace: DeliveryPace, on context: DeliveryContext? = nil
    ) -> ObservationToken {
        center.observe(
            Ping.self, on: context ?? mailbox.context, options: .paced(pace)
        ) { [log] in log.add($0.number) }
    }

    private func post(_ numbers: ClosedRange<Int>) {
        for number in numbers { center.post(Ping(number: number)) }
    }

    @Test func `Debounce delivers the latest on the context, when it was quiet`() async throws {
        let token = observe(.debounce(.seconds(3), clock: clock))
        post(1...3)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        post(4...4)
        clock.advance(by: .seconds(1))
        // The timer sleeps on, because a later post came.
        try await clock.waitForSleepers(1)
        #expect(mailbox.depth == 0)
        clock.advance(by: .seconds(2))
        while mailbox.depth == 0 { await Task.yield() }
        #expect(log.entries.isEmpty)
        mailbox.drain()
        #expect(log.entries == [4])
        token.cancel()
    }

    @Test(.rule(29, 31))
    func `A hook hears of an error in a delivery that a pace held when the center went`()
        async throws
    {
        var center: Switchyard.NotificationCenter? = Switchyard.NotificationCenter()
        let heard = Log<DeliveryProblem.Kind>()
        center?.onProblem { heard.add($0.kind) }
        struct Bad: Error {}
        let token = center?.observe(
            Ping.self, options: .paced(.debounce(.seconds(1), clock: clock))
        ) { _ in throw Bad() }
        center?.post(Ping(number: 1))
        try await clock.waitForSleepers(1)
        center = nil
        clock.advance(by: .seconds(1))
        await heard.arrival(of: 1)
        #expect(heard.entries == [.handlerThrew])
        token?.cancel()
    }

    @Test func `Throttle delivers the first inline where that is in order, and the latest later`()
        async throws
    {
        let token = observe(.throttle(.seconds(1), clock: clock), on: .poster)
        post(1...3)
        #expect(log.entries == [1])
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await log.arrival(of: 2)
        #expect(log.entries == [1, 3])
        token.cancel()
    }

    /// A clock that can't sleep.
    private struct BrokenClock: Clock {
        struct Failure: Error {}
        let now = ContinuousClock.now
        let minimumResolution = Duration.zero
        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) throws {
            throw Failure()
        }
    }

    @Test(.rule(28)) func `A clock that fails makes deliveries early, and loses none`() async throws
    {
        for pace in [
            DeliveryPace.debounce(.seconds(1), clock: BrokenClock()),
            .throttle(.seconds(1), clock: BrokenClock()),
        ] {
            let before = log.entries.count
            let token = observe(pace)
            for number in 1...4 {
                post(number...number)
                try #require(await until { mailbox.depth == 1 })
                mailbox.drain()
            }
            #expect(log.entries.dropFirst(before) == [1, 2, 3, 4])
            token.cancel()
        }
    }

    @Test func `Cancelling the observation drops the waiting delivery, and ends its timer`()
        async throws
    {
        let token = observe(.debounce(.seconds(1), clock: clock))
        post(1...1)
        try await clock.waitForSleepers(1)
        token.cancel()
        while clock.sleepers > 0 { await Task.yield() }
        clock.advance(by: .seconds(10))
        #expect(mailbox.depth == 0)
        #expect(log.entries.isEmpty)
    }

    @Test
    func
        `Cancelling with the option to flush makes the waiting delivery on its context, and waits for it`()
        async throws
    {
        let token = observe(.debounce(.seconds(1), clock: clock, atCancel: .flush))
        post(1...2)
        token.cancel()
        #expect(log.entries.isEmpty)
        #expect(mailbox.depth == 1)
        let drained = Task { await token.cancelAndDrain() }
        mailbox.drain()
        #expect(await drained.value)
        #expect(log.entries == [2])
        post(3...3)
        mailbox.drain()
        #expect(log.entries == [2])
    }

    /// The thread that cancels looks for the delivery while the queue's thread makes it and gives
    /// its claim back.
    @Test(.rule(15)) func `A flushed delivery finds what its handler captured`() {
        let queue = DispatchQueue(label: "flushed")
        let rounds = 20_000
        for round in 0..<rounds {
            let token = center.observe(
                Ping.self, on: .dispatchQueue(queue),
                options: .paced(.debounce(.seconds(100), atCancel: .flush))
            ) { [log, captured = Canary()] ping in
                if captured.isAlive { log.add(ping.number) }
            }
            center.post(Ping(number: round))
            token.cancel()
        }
        #expect(log.wait(for: rounds) == Array(0..<rounds))
    }

    /// An object that tells whether it is alive.
    private final class Canary: Sendable {
        private let isThere = Atomic<Bool>(true)
        var isAlive: Bool { isThere.load(ordering: .relaxed) }
        deinit { isThere.store(false, ordering: .relaxed) }
    }

    @Test(.rule(14), arguments: [false, true])
    func `A hook that is told of a lost delivery may wait for the observation's end`(
        _ isFlushed: Bool
    ) async throws {
        let pace = DeliveryPace.debounce(
            .seconds(3), clock: clock, atCancel: isFlushed ? .flush : .drop)
        let token = observe(pace)
        let told = Log<Bool>()
        center.onProblem { _ in told.add(token.cancelAndWait()) }
        post(1...1)
        try await clock.waitForSleepers(1)
        mailbox.close()
        if isFlushed { token.cancel() } else { clock.advance(by: .seconds(3)) }
        #expect(await told.arrival(of: 1) == [true])
    }

    @Test(.rule(29)) func `A flushed delivery whose mailbox ends is reported`() async throws {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.count) }
        let token = observe(.debounce(.seconds(3), clock: clock, atCancel: .flush))
        post(1...1)
        token.cancel()
        #expect(mailbox.depth == 1)
        mailbox.close()
        #expect(problems.entries == [1])
        #expect(log.entries.isEmpty)
    }

    @Test(.rule(29), arguments: [false, true])
    func `Each delivery that was put off until its mailbox had ended is reported`(
        _ isFlushed: Bool
    ) async throws {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.kind == .undeliverable ? $0.count : 0) }
        let pace = DeliveryPace.debounce(
            .seconds(3), clock: clock, atCancel: isFlushed ? .flush : .drop)
        let tokens = (0..<10).map { _ in observe(pace) }
        post(1...1)
        try await clock.waitForSleepers(10)
        mailbox.close()
        if isFlushed {
            for token in tokens { token.cancel() }
        } else {
            clock.advance(by: .seconds(3))
        }
        await until { problems.entries.reduce(0, +) >= 10 }
        #expect(problems.entries == Array(repeating: 1, count: 10))
        #expect(log.entries.isEmpty)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(16)) func `The delivery that a cancellation flushes is the one of a one-shot`() {
        let log = Log<String>()
        let pace = DeliveryPace.debounce(.seconds(1), clock: clock, atCancel: .flush)
        let token = center.observe(
            MessageTests.Added.self, on: mailbox.context, options: .once.paced(pace)
        ) { log.add($0.format) }
        center.post(MessageTests.Added(format: "first"))
        token.cancel()
        center.post(MessageTests.Added(format: "second"))
        mailbox.drain()
        #expect(log.entries == ["first"])
    }

    @Test(.rule(28)) func `The latest of the deliveries that were put off waits for room`() async {
        var options = ObservationOptions.bounded(.wait(above: 1))
        options.pace = .throttle(.seconds(1), clock: clock)
        let token = center.observe(Ping.self, on: mailbox.context, options: options) { [log] in
            log.add($0.number)
        }
        // The mailbox is full from the first post on. Posts that the pace lets through are refused;
        // the others are put off, and handed over when the clock says so.
        for number in 1...50 {
            post(number...number)
            if number % 2 == 0 { clock.advance(by: .seconds(1)) }
            for _ in 0..<50 { await Task.yield() }
        }
        await until {
            clock.advance(by: .seconds(1))
            mailbox.drain()
            return log.entries.count > 1
        }
        for _ in 1...50 { mailbox.drain() }
        // Three deliveries at most are heard: one in the mailbox, one that waits for room, and one
        // that the pace has not handed over.
        #expect((2...3).contains(log.entries.count))
        #expect(log.entries.first == 1)
        #expect(log.entries.sorted() == log.entries)
        token.cancel()
    }

    @Test(.rule(12)) func `A post that waits waits for a delivery that was put off, or replaced`()
        async throws
    {
        let token = observe(.debounce(.seconds(1), clock: clock), on: .poster)
        let (center, clock) = (center, clock)
        async let first = center.postAndWait(Ping(number: 1))
        try await clock.waitForSleepers(1)
        async let second = center.postAndWait(Ping(number: 2))
        #expect(try await first.delivered == 0)
        clock.advance(by: .seconds(1))
        while log.entries.isEmpty {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(try await second.delivered == 1)
        #expect(log.entries == [2])
        token.cancel()
    }

    @Test(.rule(12, 28), arguments: [DeliveryBound.refuse(above: 1), .dropNewest(above: 1)])
    func `A post that waits learns that its delivery found no room when its time had come`(
        bound: DeliveryBound
    ) async throws {
        let options = ObservationOptions.paced(.throttle(.seconds(1), clock: clock)).bounded(bound)
        let token = center.observe(Ping.self, on: mailbox.context, options: options) { [log] in
            log.add($0.number)
        }
        center.post(Ping(number: 1))
        let (center, clock) = (center, clock)
        async let second = center.postAndWait(Ping(number: 2))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await second.dropped == 1)
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test(.rule(15)) func `A pace does not keep what the closure captured after cancel`()
        async throws
    {
        let witness = Witness()
        var token: ObservationToken? = observe(holding: Captured(), witness)
        post(1...1)
        try await clock.waitForSleepers(1)
        #expect(witness.isAlive)
        token = nil
        #expect(!witness.isAlive)
        _ = token
    }

    private final class Captured: Sendable {}

    private final class Witness: @unchecked Sendable {
        // Sendable: set once, before it is shared; then it only goes to nil.
        weak var object: Captured?
        var isAlive: Bool { object != nil }
    }

    private func observe(holding object: Captured, _ witness: Witness) -> ObservationToken {
        witness.object = object
        return center.observe(
            Ping.self, on: mailbox.context, options: .paced(.debounce(.seconds(1), clock: clock))
        ) { _ in _ = object }
    }

    /// A note that an object was destroyed.
    private final class DestructionNote: Sendable {
        private let log: Log<Int>
        init(_ log: Log<Int>) { self.log = log }
        deinit { log.add(-1) }
        func touch() {}
    }

    @Test func `A handler stays while the bound asks for the key of a delayed delivery`()
        async throws
    {
        let (isAsked, go) = (Gate(), Gate())
        let worker = DeliveryThread(
            name: "bounded",
            bound: .keepLatest { (ping: Ping) in
                isAsked.open()
                go.wait()
                return ping.number
            })
        let token = {
            let captured = DestructionNote(log)
            return observe(
                .debounce(.seconds(1), clock: clock), on: .thread(worker), holding: captured)
        }()
        post(1...1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        while !isAsked.isOpen { await Task.yield() }
        token.cancel()
        #expect(log.entries.isEmpty)
        go.open()
        #expect(await log.arrival(of: 1) == [-1])
        worker.stop()
    }

    private func observe(
        _ pace: DeliveryPace, on context: DeliveryContext, holding captured: DestructionNote
    ) -> ObservationToken {
        center.observe(Ping.self, on: context, options: .paced(pace)) { [log] in
            captured.touch()
            log.add($0.number)
        }
    }

    @Test(.rule(30), arguments: [true, false])
    func `A stream has the message that its pace has put off, when its center goes`(
        isNamed: Bool
    )
        async
    {
        var center: Switchyard.NotificationCenter? = .init()
        let options = ObservationOptions.paced(.debounce(.seconds(9), clock: clock))
        let stream = center?.stream(Ping.self, options: options)
        for number in 1...2 { center?.post(Ping(number: number)) }
        center = nil
        var numbers: [Int?] = []
        if let stream { for await event in stream { numbers.append(event.message?.number) } }
        #expect(numbers == [2])
    }

    @Test(.rule(28)) func `A handler that is flushed at the end may post to its own observation`() {
        let receipts = Log<String>()
        let token = center.observe(
            Ping.self, on: .poster,
            options: .paced(.debounce(.seconds(3), clock: clock, atCancel: .flush))
        ) { [center, log] in
            log.add($0.number)
            receipts.add(center.postAndReport(Ping(number: $0.number + 1)).description)
        }
        post(1...1)
        token.cancelAndWait()
        #expect(log.entries == [1])
        // The observation has ended: nothing is put off, and then lost.
        #expect(receipts.entries == ["nobody heard it"])
    }

    @Test(.rule(14, 42), arguments: [true, false])
    func `A delivery that was put off and is due is flushed out of a pause`(
        isOnPoster: Bool
    )
        async throws
    {
        let token = observe(
            .debounce(.seconds(3), clock: clock, atCancel: .flush),
            on: isOnPoster ? .poster : nil)
        token.pause()
        post(1...2)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        // The timer has made the delivery, which the pause keeps.
        if !isOnPoster { await until { mailbox.depth == 1 } }
        await until { clock.sleepers == 0 }
        mailbox.drain()
        token.cancel()
        await until {
            mailbox.drain()
            return log.entries == [2]
        }
    }

    @Test(.rule(13, 14)) func `Of two cancellations at once, one flushes, and both wait for that`()
        async
    {
        for round in 0..<500 {
            let (center, heard) = (Switchyard.NotificationCenter(), Log<Int>())
            let token = center.observe(
                Ping.self, on: .poster,
                options: .paced(.throttle(.seconds(100), clock: clock, atCancel: .flush))
            ) { heard.add($0.number) }
            for number in 1...2 { center.post(Ping(number: number)) }
            let ready = Gate(2)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        await onOwnThread {
                            ready.arriveAndWait()
                            if round % 2 == 0 { return token.cancel() }
                            if token.cancelAndWait() { #expect(heard.entries == [1, 2]) }
                        }
                    }
                }
            }
            await until { heard.entries == [1, 2] }
        }
    }

    @Test(.rule(14, 28)) func `A delivery that a bound has dropped is not flushed`() async throws {
        let token = center.observe(
            Ping.self, on: mailbox.context,
            options: .paced(.throttle(.seconds(1), clock: clock, atCancel: .flush))
                .bounded(.dropOldest(above: 1))
        ) { [log] in log.add($0.number) }
        post(1...2)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        // 2 is due and has displaced 1.
        await until { center.snapshot().entries.first?.lost == 1 && clock.sleepers == 0 }
        clock.advance(by: .seconds(1))
        #expect(center.postAndReport(Ping(number: 3)).dropped == 1)
        token.cancel()
        mailbox.drain()
        #expect(log.entries == [3])
    }

    @Test(.rule(13, 14), arguments: [1, 2])
    func `The last delivery is flushed, also if the pace has let it through at once`(
        posts: Int
    ) async {
        let token = center.observe(
            Ping.self, on: mailbox.context,
            options: .paced(.throttle(.seconds(3_600), clock: clock, atCancel: .flush))
        ) { [log] in log.add($0.number) }
        post(1...posts)
        token.cancel()
        await until {
            mailbox.drain()
            return !log.entries.isEmpty
        }
        #expect(log.entries == [posts])
        // One that was heard is not flushed again.
        let heard = center.observe(
            Ping.self, on: mailbox.context,
            options: .paced(.throttle(.seconds(3_600), clock: clock, atCancel: .flush))
        ) { [log] in log.add($0.number) }
        post(5...5)
        mailbox.drain()
        heard.cancel()
        mailbox.drain()
        #expect(log.entries == [posts, 5])
    }
}
