// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

private actor Account {
    private(set) var deposits: [Int] = []
    func add(_ sum: Int) { deposits.append(sum) }
    func observe(_ center: MessageCenter) {
        center.observe(Ping.self, on: self) { account, ping in account.deposits.append(ping.number)
        }
    }
}

private final class Uploader: Sendable {
    let log = Log<Int>()
    func upload(_ ping: Ping) async throws {
        await Task.yield()
        log.add(ping.number)
    }
}

@Suite("Async handlers, actors and executors") struct AsyncHandlerTests {
    private let center = MessageCenter()

    @Test(.rule(9)) func `An async handler starts when the previous returned, in order of posting`()
        async throws
    {
        let (center, log) = (center, Log<String>())
        let token = center.observe(Ping.self) { ping in
            log.add("begin \(ping.number)")
            await Task.yield()
            log.add("end \(ping.number)")
        }
        for number in 0..<100 { center.post(Ping(number: number)) }
        try await center.postAndWait(Ping(number: 100))
        #expect(log.entries == (0...100).flatMap { ["begin \($0)", "end \($0)"] })
        token.cancel()
    }

    @Test(.rule(9)) func `Concurrent handlers go on side by side`() async throws {
        let (center, inside) = (center, Counter())
        let token = center.observe(Ping.self, options: .concurrent) { _ in
            inside.add()
            // The call returns only when the other call is inside too.
            while inside.value < 2 { await Task.yield() }
        }
        center.post(Ping())
        try await center.postAndWait(Ping(), timeout: .seconds(240))
        #expect(inside.value == 2)
        token.cancel()
    }

    @Test(.rule(13)) func `No queued async delivery starts after cancel`() async {
        let (center, log, go) = (center, Log<Int>(), Flag())
        let token = center.observe(Ping.self) { ping in
            while !go.isSet { await Task.yield() }
            log.add(ping.number)
        }
        for number in 0..<10 { center.post(Ping(number: number)) }
        while center.snapshot().entries.first?.isInFlight != true { await Task.yield() }
        token.cancel()
        go.set()
        #expect(await token.cancelAndDrain())
        for _ in 0..<100 { await Task.yield() }
        #expect(log.entries == [0])
    }

    @Test(.rule(15)) func `An async handler's captures go when its last call has returned`() async {
        let (center, go, ended) = (center, Flag(), Counter())
        let token = observe(center, Probe(ended), until: go)
        center.post(Ping())
        while center.snapshot().entries.first?.isInFlight != true { await Task.yield() }
        token.cancel()
        #expect(ended.value == 0)
        go.set()
        await token.cancelAndDrain()
        while ended.value == 0 { await Task.yield() }
        #expect(ended.value == 1)
    }

    private func observe(
        _ center: MessageCenter, _ probe: Probe, until go: Flag
    ) -> ObservationToken {
        center.observe(Ping.self) { _ in
            probe.touch()
            while !go.isSet { await Task.yield() }
        }
    }

    @Test(.rule(16)) func `A one-shot async handler is called once under concurrent posts`()
        async throws
    {
        let (center, calls) = (center, Counter())
        let token = center.observe(Ping.self, options: .once) { _ in
            await Task.yield()
            calls.add()
        }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { center.post(Ping()) } }
            }
        }
        await token.cancelAndDrain()
        #expect(calls.value == 1)
    }

    @Test(.rule(17)) func `An async method holds its observer only while it runs`() async throws {
        let log: Log<Int>
        do {
            let uploader = Uploader()
            log = uploader.log
            center.observe(Ping.self, with: uploader, Uploader.upload)
            try await center.postAndWait(Ping(number: 1))
        }
        let receipt = try await center.postAndWait(Ping(number: 2))
        #expect(log.entries == [1])
        #expect(receipt.delivered == 0)
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test(.rule(31)) func `An async handler that throws is reported, and goes on`() async throws {
        struct Failure: Error {}
        let problems = Log<DeliveryProblem.Kind>()
        center.onProblem { problems.add($0.kind) }
        let token = center.observe(Ping.self) { _ in
            await Task.yield()
            throw Failure()
        }
        try await center.postAndWait(Ping())
        try await center.postAndWait(Ping())
        #expect(problems.entries == [.handlerThrew, .handlerThrew])
        token.cancel()
    }

    @Test(.rule(8)) func `A handler isolated to an actor uses its state, in order of posting`()
        async throws
    {
        let account = Account()
        await account.observe(center)
        center.observe(Tick.self, on: account) { account, tick in
            await Task.yield()
            account.add(-tick.number)
        }
        for number in 0..<100 { center.post(Ping(number: number)) }
        try await center.postAndWait(Ping(number: 100))
        #expect(await account.deposits == Array(0...100))
        try await center.postAndWait(Tick(number: 5))
        #expect(await account.deposits.last == -5)
    }

    @Test(.rule(17))
    func `An actor that observes is not kept alive, and its observation ends with it`()
        async throws
    {
        var account: Account? = Account()
        await account?.observe(center)
        let witness = account.map { Witness($0) }
        try await center.postAndWait(Ping(number: 1))
        account = nil
        #expect(witness?.isAlive == false)
        center.onProblem { _ in }
        // The first post after the actor's end finds the observation expired, and is not an error
        // for its poster.
        try await center.postAndWait(Ping(number: 2))
        while !center.snapshot().entries.isEmpty { await Task.yield() }
        #expect(center.postAndReport(Ping()).reachedNobody)
    }

    @Test(.rule(8))
    func `The context of an actor delivers on it, in order of posting across observers`()
        async throws
    {
        let (center, account, log) = (center, Account(), Log<String>())
        let first = center.observe(Ping.self, on: .actor(account)) { ping in
            account.assertIsolated()
            log.add("a\(ping.number)")
        }
        let second = center.observe(Ping.self, on: .actor(account)) { log.add("b\($0.number)") }
        for number in 0..<50 { center.post(Ping(number: number)) }
        try await center.postAndWait(Ping(number: 50))
        #expect(log.entries == (0...50).flatMap { ["a\($0)", "b\($0)"] })
        first.cancel()
        second.cancel()
    }

    @Test func `A task executor alone runs its handlers, sync and async`() async throws {
        let executor = ManualTaskExecutor()
        let log = Log<String>()
        let sync = center.observe(Ping.self, on: .executor(executor)) {
            log.add("sync \($0.number)")
        }
        let async = center.observe(Ping.self, on: .executor(executor)) { ping in
            await Task.yield()
            log.add("async \(ping.number)")
        }
        for number in 0..<3 { center.post(Ping(number: number)) }
        #expect(log.entries.isEmpty)
        #expect(executor.waiting == 2)
        executor.runAll()
        #expect(log.entries.filter { $0.hasPrefix("sync") } == (0..<3).map { "sync \($0)" })
        #expect(log.entries.filter { $0.hasPrefix("async") } == (0..<3).map { "async \($0)" })
        sync.cancel()
        async.cancel()
    }

    @Test(.rule(8)) func `A serial executor runs handlers in order of posting`() async throws {
        let executor = ManualSerialExecutor()
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .executor(executor)) { log.add($0.number) }
        for number in 0..<100 { center.post(Ping(number: number)) }
        while log.entries.count < 100 {
            if !executor.runOne() { await Task.yield() }
        }
        #expect(log.entries == Array(0..<100))
        token.cancel()
    }

    @Test(.rule(23)) func `An executor does not get the mailbox of an actor at its address`() async
    {
        // The observation keeps the actor's mailbox, and not the actor.
        let executor = ActorAndExecutor()
        let onActor = center.observe(Tick.self, on: .actor(executor)) { _ in }
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .executor(executor)) { log.add($0.number) }
        let contexts = center.snapshot().entries.map(\.context)
        #expect(contexts == ["actor ActorAndExecutor", "executor ActorAndExecutor"])
        center.post(Ping(number: 1))
        while log.entries.isEmpty {
            executor.runAll()
            await Task.yield()
        }
        #expect(log.entries == [1])
        token.cancel()
        onActor.cancel()
    }

    @Test(.rule(23)) func `A task executor that is a serial executor too is two contexts`() async {
        let executor = BothExecutors()
        let log = Log<Bool>()
        let note: @Sendable (Ping) -> Void = { _ in
            log.add(withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil })
        }
        let serial = center.observe(
            Ping.self, on: .executor(executor as any SerialExecutor), using: note)
        let task = center.observe(
            Ping.self, on: .executor(executor as any TaskExecutor), using: note)
        center.post(Ping())
        await until {
            executor.runAll()
            return log.entries.count == 2
        }
        #expect(log.entries.contains(true) && log.entries.contains(false))
        serial.cancel()
        task.cancel()
    }

    @Test(.rule(23)) func `A burst for an async handler starts one task`() async throws {
        let executor = ManualTaskExecutor()
        let handled = Counter()
        let token = center.observe(Ping.self, on: .executor(executor)) { _ in
            await Task.yield()
            handled.add()
        }
        for _ in 0..<1000 { center.post(Ping()) }
        #expect(executor.waiting == 1)
        executor.runAll()
        #expect(handled.value == 1000)
        token.cancel()
    }
}
