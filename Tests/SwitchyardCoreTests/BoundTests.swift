// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) import SwitchyardCore
import Synchronization
import TestSupport
import Testing

@Suite("Bounds") struct BoundTests {
    private let center = MessageCenter()
    private let mailbox = DeliveryMailbox(target: HandDrained())
    private let log = Log<Int>()

    private func observe(_ bound: DeliveryBound?) -> ObservationToken {
        var options = ObservationOptions.standard
        options.bound = bound
        return center.observe(Ping.self, on: .mailbox(mailbox), options: options) { [log] ping in
            log.add(ping.number)
        }
    }

    private func post(_ numbers: ClosedRange<Int>) -> [PostReceipt] {
        numbers.map { center.postAndReport(Ping(number: $0)) }
    }

    @Test(.rule(28)) func `Dropping the oldest keeps the newest, in order, and says what was lost`()
    {
        let lags = Log<Int>()
        let token = observe(.dropOldest(above: 3).onLag { lags.add($0) })
        let receipts = post(1...5)
        #expect(receipts.map(\.dropped) == [0, 0, 0, 1, 1])
        #expect(receipts.allSatisfy { $0.queued == 1 })
        mailbox.drain()
        #expect(log.entries == [3, 4, 5])
        #expect(lags.entries == [2])
        #expect(center.snapshot().entries.first?.lost == 2)
        _ = post(6...6)
        mailbox.drain()
        #expect(log.entries == [3, 4, 5, 6])
        #expect(lags.entries == [2])
        token.cancel()
    }

    @Test(.rule(28, 44))
    func `What was lost before deliveries that a pause drops is told all the same`() {
        let lags = Log<Int>()
        let token = observe(.dropOldest(above: 3).onLag { lags.add($0) })
        token.pause()
        _ = post(1...6)
        token.resume(.dropping)
        mailbox.drain()
        #expect(log.entries.isEmpty)
        _ = post(7...7)
        mailbox.drain()
        #expect(log.entries == [7])
        #expect(lags.entries == [3])
        token.cancel()
    }

    @Test(.rule(28)) func `Dropping the newest keeps the oldest, and tells of the gap where it is`()
    {
        let lags = Log<Int>()
        let token = observe(
            .dropNewest(above: 2).onLag { [log] lost in
                lags.add(lost)
                log.add(-lost)
            })
        #expect(post(1...5).map(\.dropped) == [0, 0, 1, 1, 1])
        mailbox.drain()
        #expect(log.entries == [1, 2])
        _ = post(6...6)
        mailbox.drain()
        #expect(log.entries == [1, 2, -3, 6])
        token.cancel()
    }

    @Test(.rule(28))
    func `Keep-latest keeps the newest delivery of each key, at the newest one's position`() {
        let token = observe(.keepLatest(above: 2, per: { (ping: Ping) in ping.number % 10 }))
        let receipts = [11, 12, 21, 31, 13].map { center.postAndReport(Ping(number: $0)) }
        #expect(receipts.map(\.dropped) == [0, 0, 1, 1, 1])
        mailbox.drain()
        // 11 and 21 gave way to 31; the third key made the oldest, 12, give way.
        #expect(log.entries == [31, 13])
        _ = post(31...31)
        mailbox.drain()
        #expect(log.entries == [31, 13, 31])
        token.cancel()
    }

    @Test(.rule(28))
    func `The newest delivery of each key stays in order of posting among other observers' mail`() {
        let keyed = observe(.keepLatest(per: { (_: Ping) in 0 }))
        let plain = observe(nil)
        _ = post(1...3)
        mailbox.drain()
        #expect(log.entries == [1, 2, 3, 3])
        keyed.cancel()
        plain.cancel()
    }

    @Test(.rule(28))
    func `A refused delivery shows in the receipt, and nothing that waits is lost`() {
        let token = observe(.refuse(above: 1))
        let receipts = post(1...2)
        #expect(receipts.map(\.refused) == [0, 1])
        #expect(receipts.map(\.queued) == [1, 0])
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test(.rule(28))
    func `One observer's flood takes no room from other observers, bounded or not`() {
        let shared = DeliveryMailbox(target: HandDrained(), bound: .dropOldest(above: 4))
        let (a, b) = (Log<Int>(), Log<Int>())
        let flooded = center.observe(Ping.self, on: .mailbox(shared)) { a.add($0.number) }
        let calm = center.observe(Tick.self, on: .mailbox(shared)) { b.add($0.number) }
        center.post(Tick(number: 0))
        _ = post(1...100)
        center.post(Tick(number: 1))
        shared.drain()
        #expect(a.entries == [99, 100])
        #expect(b.entries == [0, 1])
        // An observer that ends gives its share back.
        calm.cancel()
        _ = post(1...100)
        shared.drain()
        #expect(a.entries == [99, 100, 97, 98, 99, 100])
        flooded.cancel()
    }

    @Test(.rule(28)) func `Dropped deliveries of a bounded observer take no memory in the mailbox`()
    {
        final class Box: Sendable {}
        struct Cargo: NotificationMessage { let box: Box }
        struct Reference { weak var box: Box? }
        let token = center.observe(
            Cargo.self, on: .mailbox(mailbox), options: .bounded(.dropOldest(above: 10))
        ) { _ in }
        let references = (1...10_000).map { _ in
            let box = Box()
            center.post(Cargo(box: box))
            return Reference(box: box)
        }
        #expect(references.count { $0.box != nil } < 200)
        token.cancel()
    }

    @Test(.rule(28)) func `Dropped deliveries do not count as waiting`() {
        let token = observe(.dropOldest(above: 3))
        for number in 1...6 { center.post(Ping(number: number)) }
        #expect(mailbox.depth == 3)
        #expect(center.snapshot().entries.map(\.queueDepth) == [3])
        #expect(mailbox.drain(atMost: 1) == 1)
        #expect(log.entries == [4])
        mailbox.drain()
        #expect(log.entries == [4, 5, 6])
        token.cancel()
    }

    @Test(.rule(28))
    func `A dropped delivery does not use up once`() {
        var options = ObservationOptions.once
        options.bound = .dropOldest(above: 1)
        let token = center.observe(Ping.self, on: .mailbox(mailbox), options: options) {
            [log] ping in
            log.add(ping.number)
        }
        _ = post(1...3)
        mailbox.drain()
        #expect(log.entries == [3])
        #expect(token.isCancelled)
    }

    @Test(.rule(1)) func `A key's equality may post and observe: no lock is held`() {
        struct Key: Hashable {
            let center: MessageCenter
            static func == (left: Key, right: Key) -> Bool {
                left.center.post(Tick())
                return true
            }
            func hash(into hasher: inout Hasher) {}
        }
        let center = center
        let ticks = Counter()
        let inner = center.observe(
            Tick.self, on: .mailbox(mailbox),
            options: .bounded(.keepLatest(per: { (_: Tick) in 0 }))
        ) { _ in ticks.add() }
        let token = observe(.keepLatest(per: { (_: Ping) in Key(center: center) }))
        _ = post(1...3)
        mailbox.drain()
        #expect(log.entries == [3])
        #expect(ticks.value == 1)
        token.cancel()
        inner.cancel()
    }

    @Test(.rule(28))
    func `Under concurrent posts and drains, every post is delivered or counted as lost`() {
        let posts = 20_000
        let delivered = Counter()
        let lags = Counter()
        let pollable = DeliveryMailbox(target: HandDrained())
        let token = center.observe(
            Ping.self, on: .mailbox(pollable),
            options: .bounded(.dropOldest(above: 8).onLag { lags.add($0) })
        ) { _ in delivered.add() }
        let lost = Counter()
        let left = Counter()
        onThreads(3) { [center] index in
            if index == 0 {
                while left.value < 2 { pollable.drain() }
                pollable.drain()
                pollable.drain()
                return
            }
            for number in 0..<posts { lost.add(center.postAndReport(Ping(number: number)).dropped) }
            left.add()
        }
        #expect(delivered.value + lost.value == 2 * posts)
        #expect(lags.value == lost.value)
        #expect(pollable.depth == 0)
        token.cancel()
    }

    @Test(.rule(12, 28))
    func `Code that is told of losses and ends its thread ends the wait for it`()
        async
    {
        let (center, hand) = (center, DeliveryMailbox(target: HandDrained()))
        let bound = DeliveryBound.dropOldest(above: 1).onLag { _ in endThisThread() }
        let token = center.observe(Ping.self, on: .mailbox(hand), options: .bounded(bound)) { _ in }
        for _ in 0..<2 { center.post(Ping()) }
        let code = Log<PostWaitError.Code?>()
        let wait = Task {
            do { _ = try await center.postAndWait(Ping()) } catch {
                code.add((error as? PostWaitError)?.code)
            }
        }
        await until { center.snapshot().entries.first?.lost == 2 }
        await onOwnThread { onThreads(1) { _ in hand.drain() } }
        #expect(await code.arrival(of: 1) == [.targetEnded])
        await wait.value
        token.cancel()
    }

    @Test(.rule(10, 28), arguments: [DeliveryBound.dropNewest(above: 1), .refuse(above: 1)])
    func `A gap is told before a delivery that is made inline`(bound: DeliveryBound) {
        let target = HandDrained()
        let mailbox = DeliveryMailbox(target: target)
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .bounded(bound.onLag { [log] in log.add(-$0) })
        ) { [log] in log.add($0.number) }
        _ = post(1...3)
        mailbox.drain()
        target.isHere.store(true, ordering: .relaxed)
        _ = post(4...5)
        #expect(log.entries == [1, -2, 4, 5])
        token.cancel()
    }

    @Test(.rule(28, 29), arguments: [DeliveryBound.dropOldest(above: 64), .latestPing])
    func `A target that ends under posts loses each delivery once`(bound: DeliveryBound) {
        lose(bound, filledWith: 64, posters: 1)
    }

    @Test(.rule(28, 29))
    func `A target that ends under two posters loses each delivery once`() {
        lose(.dropOldest(above: 1), filledWith: 1, posters: 2)
    }

    /// Has a target end while others post to it, again and again, and counts what is lost.
    ///
    /// - Parameter first: the number of deliveries that wait before the target ends.
    private func lose(_ bound: DeliveryBound, filledWith first: Int, posters: Int) {
        let reported = Counter()
        center.onProblem { problem in
            // The first post after the end names its topic; its receipt has counted it.
            if problem.kind == .undeliverable, problem.topic == nil { reported.add(problem.count) }
        }
        for round in 0..<300 {
            let mailbox = DeliveryMailbox(target: HandDrained())
            let token = center.observe(
                Ping.self, on: .mailbox(mailbox), options: .bounded(bound)
            ) { _ in }
            let before = reported.value
            let (posted, lost, filled) = (Counter(), Counter(), Gate(posters + 1))
            onThreads(posters + 1) { [center] index in
                if index == posters {
                    filled.arriveAndWait()
                    mailbox.close()
                    return
                }
                var own = 0
                var isOpen = true
                while isOpen {
                    let receipt = center.postAndReport(Ping(number: own))
                    own += 1
                    lost.add(receipt.dropped + receipt.undeliverable)
                    isOpen = !mailbox.isClosed
                    if own == first { filled.arriveAndWait() }
                }
                posted.add(own)
            }
            #expect(lost.value + reported.value - before == posted.value, "round \(round)")
            token.cancel()
        }
    }
}

extension DeliveryBound {
    /// Keeps the latest delivery of each of 32 keys.
    fileprivate static let latestPing = DeliveryBound.keepLatest { (ping: Ping) in ping.number % 32
    }
}
