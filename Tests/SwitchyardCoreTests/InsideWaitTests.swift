// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) import SwitchyardCore
import Synchronization
import TestSupport
import Testing

/// A token that its own handler uses.
private final class TokenBox: Sendable {
    private let storage = Guarded<ObservationToken?>(nil)
    var token: ObservationToken? {
        get { storage.withLock { $0 } }
        set { _ = storage.exchange(newValue) }
    }
}

@Suite("Waits from inside a handler") struct InsideWaitTests {
    private let center = MessageCenter()

    @Test(.rule(14)) func `One of two handler calls that wait for each other gets false`() {
        let (center, box, inside) = (center, TokenBox(), Gate(2))
        let (results, problems) = (Log<Bool>(), Log<DeliveryProblem.Kind>())
        center.onProblem { problems.add($0.kind) }
        box.token = center.observe(Ping.self) { _ in
            inside.arriveAndWait()
            if let token = box.token { results.add(token.cancelAndWait()) }
        }
        onThreads(2) { _ in center.post(Ping()) }
        #expect(results.entries.sorted { !$0 && $1 } == [false, true])
        #expect(problems.entries == [.wouldNotReturn])
    }

    @Test(.rule(14))
    func `A delivery that is flushed on the waiting thread is made before the wait`() {
        let target = HandDrained()
        let (center, mailbox, log) = (center, DeliveryMailbox(target: target), Log<Int>())
        target.isHere.store(true, ordering: .relaxed)
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .paced(.debounce(.seconds(3600), atCancel: .flush))
        ) { log.add($0.number) }
        center.post(Ping(number: 1))
        #expect(token.cancelAndWait())
        #expect(log.entries == [1])
    }

    @Test(.rule(14), .timeLimit(.minutes(5)))
    func `A hook that is told of a delivery's full mailbox may wait for the observer's end`()
        async
    {
        let (center, box, results) = (center, TokenBox(), Log<Bool>())
        let mailbox = DeliveryMailbox(target: HandDrained(), highWaterMark: 1)
        center.onProblem { problem in
            if problem.kind == .highWater, let token = box.token {
                results.add(cancelAndWait(token))
            }
        }
        box.token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .paced(.debounce(.milliseconds(1)))
        ) { _ in }
        center.post(Ping())
        #expect(await results.arrival(of: 1) == [true])
    }

    @Test(.rule(14)) func `A flushed handler that cancels itself does not wait for itself`() async {
        let (center, box, results) = (center, TokenBox(), Log<Bool>())
        let mailbox = DeliveryMailbox(target: HandDrained())
        box.token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .paced(.debounce(.seconds(3600), atCancel: .flush))
        ) { _ in if let token = box.token { results.add(cancelAndWait(token)) } }
        center.post(Ping())
        box.token?.cancel()
        mailbox.drain()
        #expect(results.entries == [true])

        let done = Flag()
        box.token = center.observe(
            Tick.self, options: .paced(.debounce(.milliseconds(1), atCancel: .flush))
        ) { tick in
            guard tick.number == 0, let token = box.token else { return }
            center.post(Tick(number: 1))
            #expect(await token.cancelAndDrain())
            done.set()
        }
        center.post(Tick(number: 0))
        while !done.isSet { await Task.yield() }
    }

    @Test(.rule(14))
    func `What an async handler's delivery calls beside the handler may wait for the end`() async {
        struct Refused: Error {}
        let (center, results) = (center, Log<Bool>())
        let (inside, goesOn, lags, throwing) = (Flag(), Flag(), TokenBox(), TokenBox())
        // The hook for lost deliveries, right before the handler is called.
        lags.token = center.observe(
            Tick.self,
            options: .bounded(
                .dropOldest(above: 1).onLag { _ in
                    if let token = lags.token { results.add(cancelAndWait(token)) }
                })
        ) { _ in
            inside.set()
            while !goesOn.isSet { await Task.yield() }
        }
        center.post(Tick())
        while !inside.isSet { await Task.yield() }
        for _ in 0..<3 { center.post(Tick()) }
        goesOn.set()
        #expect(await results.arrival(of: 1) == [true])
        // The problem hook, right after the handler has thrown.
        center.onProblem { _ in
            if let token = throwing.token { results.add(cancelAndWait(token)) }
        }
        throwing.token = center.observe(Ping.self) { _ in
            await Task.yield()
            throw Refused()
        }
        center.post(Ping())
        #expect(await results.arrival(of: 2) == [true, true])
    }

    @Test(.rule(14)) func `A task that a handler left behind waits for later calls`() async {
        let (center, box) = (center, TokenBox())
        let (inside, leave, returned) = (Flag(), Flag(), Flag())
        let tasks = Log<Task<Void, Never>>()
        box.token = center.observe(Ping.self) { ping in
            if ping.number == 0 {
                tasks.add(
                    Task {
                        while !inside.isSet { await Task.yield() }
                        await box.token?.cancelAndDrain()
                        #expect(returned.isSet)
                    })
                return
            }
            inside.set()
            while !leave.isSet { await Task.yield() }
            returned.set()
        }
        center.post(Ping(number: 0))
        center.post(Ping(number: 1))
        while box.token?.isCancelled == false { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        leave.set()
        for task in tasks.entries { await task.value }
    }

    @Test(.rule(12)) func `A task that a handler started may wait for a post to that handler`()
        async
    {
        let (center, outcome) = (center, Log<String>())
        let token = center.observe(Ping.self) { ping in
            guard ping.number == 0 else { return }
            Task {
                do throws(PostWaitError) {
                    let receipt = try await center.postAndWait(Ping(number: 1))
                    outcome.add("delivered \(receipt.delivered)")
                } catch {
                    outcome.add("\(error.code)")
                }
            }
        }
        center.post(Ping(number: 0))
        while outcome.entries.isEmpty { await Task.yield() }
        #expect(outcome.entries == ["delivered 1"])
        token.cancel()
    }

    @Test(.rule(14)) func `cancelAndWait does not wait for a thread that ended inside a handler`() {
        let (inside, center) = (Gate(), center)
        let token = center.observe(Ping.self) { _ in
            inside.arrive()
            endThisThread()
        }
        onThreads(2) { index in
            if index == 0 { return center.post(Ping()) }
            inside.wait()
            #expect(token.cancelAndWait())
        }
    }
}

/// Calls the blocking form in closures that the compiler takes for async.
private func cancelAndWait(_ token: ObservationToken) -> Bool { token.cancelAndWait() }
