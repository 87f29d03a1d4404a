// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

/// A thread that drains one mailbox until it is stopped.
private final class Worker: @unchecked Sendable {
    // Sendable: constant.
    let mail: PollableMailbox
    private let stopping = Flag()

    init(_ label: String) {
        do {
            mail = try PollableMailbox(label: label)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Drains the mailbox until ``stop()``. Call it on a thread of its own.
    func run() {
        while !stopping.isSet { mail.waitAndDrain(timeout: .milliseconds(100)) }
    }

    func stop() { stopping.set() }
}

@Suite("Waits and dead letters", .timeLimit(.minutes(5))) struct WaitLetterTests {
    @Test(.rule(12, 32)) func `A post that is heard in its wait is no dead letter`() async throws {
        let (center, dead, heard) = (MessageCenter(), Log<String>(), Log<Int>())
        center.onDeadLetter { dead.add($0) }
        let token = center.observe(Ping.self, options: .paced(.throttle(.seconds(3600)))) {
            heard.add($0.number)
        }
        let receipt = try await onOwnThread {
            try center.postAndWait(Ping(number: 1), timeout: .seconds(240))
        }
        #expect(receipt.delivered == 1 && heard.entries == [1])
        #expect(dead.entries.isEmpty)
        token.cancel()
    }
}

/// An actor that posts in its turns, so that a test knows when a post has begun to wait.
private actor Poster {
    private let center: MessageCenter

    init(_ center: MessageCenter) { self.center = center }

    /// Starts a task that posts, and returns when the post waits for room.
    nonisolated func beginWaiting(_ ping: Ping) async -> Task<PostReceipt, any Error> {
        let task = Task { try await post(ping) }
        await nextTurn()
        return task
    }

    private func post(_ ping: Ping) async throws -> PostReceipt {
        hasBegun = true
        return try await center.postWhenRoom(ping)
    }

    private var hasBegun = false

    private func nextTurn() async {
        // This turn comes after the turn in which the post has begun.
        while !hasBegun { await Task.yield() }
        hasBegun = false
    }
}

@Suite("Posts that wait") struct PostAndWaitTests {
    private let center = MessageCenter()

    @Test(.rule(12)) func `postAndWait returns when the handlers elsewhere have returned`() {
        let worker = Worker("worker")
        let (center, log) = (center, Log<String>())
        let token = center.observe(Ping.self, on: .mailbox(worker.mail)) { ping in
            log.add("handled \(ping.number)")
        }
        onThreads(2) { index in
            if index == 1 { return worker.run() }
            for number in 1...100 {
                let receipt = try? center.postAndWait(Ping(number: number), timeout: .seconds(240))
                #expect(receipt?.delivered == 1)
                #expect(receipt?.queued == 0)
                log.add("returned \(number)")
            }
            worker.stop()
        }
        #expect(log.entries == (1...100).flatMap { ["handled \($0)", "returned \($0)"] })
        token.cancel()
    }

    @Test(.rule(12))
    func `postAndWait throws when the time is up, and what it posted stays queued`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let heard = Counter()
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in heard.add() }
        do {
            try center.postAndWait(Ping(), timeout: .milliseconds(1))
            Issue.record("it returned")
        } catch {
            #expect(error.code == .timedOut)
            #expect(error.receipt.queued == 1)
        }
        mailbox.drain()
        #expect(heard.value == 1)
        token.cancel()
    }

    @Test(.rule(12))
    func `postAndWait throws on a target that has ended, and on one that ends meanwhile`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        center.onProblem { _ in }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        let center = center
        onThreads(2) { index in
            if index == 1 {
                while mailbox.depth == 0 {}
                return mailbox.close()
            }
            #expect(throws: PostWaitError.self) {
                try center.postAndWait(Ping(), timeout: .seconds(240))
            }
        }
        do {
            try center.postAndWait(Ping(), timeout: .seconds(240))
            Issue.record("it returned")
        } catch {
            #expect(error.code == .targetEnded)
            #expect(error.description.contains("hand"))
            #expect(error.receipt.undeliverable == 1)
        }
        token.cancel()
    }

    @Test(.rule(12))
    func `postAndWait runs inline on its own context, also inside a handler there`()
        throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let (center, log) = (center, Log<String>())
        let inner = center.observe(Tick.self, on: .mailbox(mailbox)) { _ in log.add("tick") }
        let outer = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in
            try center.postAndWait(Tick(), timeout: .seconds(240))
            log.add("ping")
        }
        center.post(Ping())
        mailbox.drain()
        #expect(log.entries == ["tick", "ping"])
        inner.cancel()
        outer.cancel()
    }

    @Test(.rule(12))
    func `postAndWait counts a handler that throws or was cancelled meanwhile as done`()
        throws
    {
        let worker = Worker("worker")
        center.onProblem { _ in }
        struct Failure: Error {}
        let center = center
        let throwing = center.observe(Ping.self, on: .mailbox(worker.mail)) { _ in throw Failure() }
        let cancelled = center.observe(Ping.self, on: .mailbox(worker.mail)) { _ in }
        let cancelling = center.observe(
            Ping.self, on: .mailbox(worker.mail), options: .priority(1)
        ) { _ in cancelled.cancel() }
        onThreads(2) { index in
            if index == 1 { return worker.run() }
            let receipt = try? center.postAndWait(Ping(), timeout: .seconds(240))
            #expect(receipt?.delivered == 2)
            worker.stop()
        }
        throwing.cancel()
        cancelling.cancel()
    }

    @Test(.rule(12), .timeLimit(.minutes(4)))
    func `A wait ends when the observers it waits for are cancelled before their turn`()
        async throws
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let heard = Log<Int>()
        let tokens = (0..<2).map { index in
            center.observe(Ping.self, on: .mailbox(mailbox)) { _ in heard.add(index) }
        }
        let waiting = Task { try await center.postAndWait(Ping()) }
        await until { mailbox.depth == 2 }
        for token in tokens { token.cancel() }
        let receipt = try await waiting.value
        #expect(receipt.delivered == 0 && receipt.queued == 0)
        mailbox.drain()
        #expect(heard.entries == [])
    }

    /// Of a delivery, one thread says that its mailbox has ended, and another ends the observation.
    @Test(.rule(12)) func `A delivery that a wait goes on without is not counted any more`() throws
    {
        let wait = PostWait(.handled)
        let ticket = PostWait.Ticket(wait, [])
        ticket.end()
        #expect(ticket.mailboxEnded("m"))
        ticket.ended(with: .dropped)
        ticket.end()
        let receipt = wait.update(PostReceipt())
        // The post itself goes on.
        #expect(wait.missing == 1 && receipt.queued == 1)
        #expect(receipt.undeliverable == 0 && receipt.dropped == 0)
        wait.postIsDone()
        #expect(wait.missing == 0)
    }

    @Test(.rule(12), .timeLimit(.minutes(4)))
    func `What an observer captured may wait, at its end, for the post that waited for it`()
        async throws
    {
        final class Waiting: Sendable {
            let isThrough: Gate
            init(_ isThrough: Gate) { self.isThrough = isThrough }
            deinit { isThrough.wait() }
        }
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let isThrough = Gate()
        let token: ObservationToken
        do {
            let captured = Waiting(isThrough)
            token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in
                withExtendedLifetime(captured) {}
            }
        }
        let waiting = Task {
            _ = try await center.postAndWait(Ping())
            isThrough.arrive()
        }
        await until { mailbox.depth == 1 }
        await onOwnThread { token.cancel() }
        try await waiting.value
        mailbox.drain()
    }

    @Test(.rule(12), .timeLimit(.minutes(4)))
    func `A wait that ends with its observer is no cycle`() throws {
        let (center, a, w) = (center, Worker("a"), Worker("w"))
        let (log, isWaiting) = (Log<String>(), Gate())
        let cancelled = center.observe(Ping.self, on: .mailbox(w.mail)) { _ in log.add("cancelled")
        }
        @Sendable func wait(_ name: String, for post: () throws -> PostReceipt) {
            do {
                _ = try post()
                log.add(name)
            } catch {
                log.add("\(name): \(error)")
            }
        }
        let tokens = [
            center.observe(Tick.self, of: "a", on: .mailbox(a.mail)) { _ in
                wait("a") { try center.postAndWait(Ping(), timeout: .seconds(200)) }
            },
            center.observe(Tick.self, of: "w", on: .mailbox(w.mail)) { _ in
                isWaiting.wait()
                cancelled.cancel()
                wait("w") {
                    try center.postAndWait(Tick(), subject: "last", timeout: .seconds(200))
                }
            },
            center.observe(Tick.self, of: "last", on: .mailbox(a.mail)) { _ in log.add("last") },
        ]
        onThreads(3) { index in
            switch index {
            case 0: a.run()
            case 1: w.run()
            default:
                center.post(Tick(), subject: "w")
                center.post(Tick(), subject: "a")
                // The delivery to be cancelled waits behind the handler that runs.
                while w.mail.depth == 0 { sched_yield() }
                isWaiting.arrive()
                while log.entries.count < 3 { sched_yield() }
                a.stop()
                w.stop()
            }
        }
        #expect(log.entries == ["a", "last", "w"])
        for token in tokens { token.cancel() }
    }

    /// A target with a loop of its own, which does not run.
    private final class Loop: MailboxTarget {
        let thread: ThreadIdentity?
        init(_ thread: ThreadIdentity?) { self.thread = thread }
        var label: String { "loop" }
        func wake(_ mailbox: DeliveryMailbox) {}
    }

    @Test(.rule(12)) func `A cycle through the thread that a target names is found`() {
        let (center, codes) = (center, Log<PostWaitError.Code>())
        let worker = Worker("worker")
        onThreads(2) { index in
            if index == 0 { return worker.run() }
            // This thread waits for the worker in code that no center has called.
            let loop = DeliveryMailbox(target: Loop(.current))
            let tokens = [
                center.observe(Tick.self, of: "loop", on: .mailbox(loop)) { _ in },
                center.observe(Tick.self, of: "worker", on: .mailbox(worker.mail)) { _ in
                    do throws(PostWaitError) {
                        try center.postAndWait(
                            Tick(number: 1), subject: "loop", timeout: .seconds(60))
                    } catch {
                        codes.add(error.code)
                    }
                },
            ]
            // The wait that begins last closes the cycle, and ends with the error.
            do throws(PostWaitError) {
                try center.postAndWait(
                    Tick(number: 0), subject: "worker", timeout: .seconds(240))
            } catch {
                codes.add(error.code)
                loop.drain()
            }
            worker.stop()
            for token in tokens { token.cancel() }
        }
        #expect(codes.entries == [.cycle])
    }

    @Test(.rule(12))
    func `A cycle through one call of an async handler that may be called beside others is found`()
        async
    {
        let (center, codes) = (center, Log<PostWaitError.Code>())
        // Not on a thread of the task pool, which the async handler needs.
        await onOwnThread {
            let worker = Worker("worker")
            let ended = Counter()
            onThreads(2) { index in
                if index == 0 { return worker.run() }
                let tokens = [
                    // The handler of the worker waits for the concurrent one, and that one for the
                    // worker. The wait that begins last closes the cycle.
                    center.observe(Tick.self, of: "worker", on: .mailbox(worker.mail)) { _ in
                        do throws(PostWaitError) {
                            try center.postAndWait(Ping(), timeout: .seconds(240))
                        } catch {
                            codes.add(error.code)
                        }
                        if ended.add() == 2 { worker.stop() }
                    },
                    center.observe(Tick.self, of: "inner", on: .mailbox(worker.mail)) { _ in },
                    center.observe(Ping.self, options: .concurrent) { _ in
                        do throws(PostWaitError) {
                            try await center.postAndWait(
                                Tick(number: 1), subject: "inner", timeout: .seconds(240))
                        } catch {
                            codes.add(error.code)
                        }
                        if ended.add() == 2 { worker.stop() }
                    },
                ]
                _ = try? center.postAndWait(
                    Tick(number: 0), subject: "worker", timeout: .seconds(250))
                for token in tokens { token.cancel() }
            }
        }
        #expect(codes.entries == [.cycle])
    }

    @Test(.rule(12)) func `A cycle through a paced handler on the posting thread is found`() async {
        let (center, codes) = (center, Log<PostWaitError.Code>())
        // Not on a thread of the task pool, where the paced handler is called.
        await onOwnThread {
            let (worker, ended) = (Worker("worker"), Counter())
            let wait: @Sendable (() throws(PostWaitError) -> PostReceipt) -> Void = { post in
                do throws(PostWaitError) {
                    _ = try post()
                } catch {
                    codes.add(error.code)
                }
                if ended.add() == 2 { worker.stop() }
            }
            let tokens = [
                // The handler of the worker waits for the paced one, and that one for the worker.
                // The wait that begins last closes the cycle.
                center.observe(Tick.self, of: "worker", on: .mailbox(worker.mail)) { _ in
                    wait { () throws(PostWaitError) in
                        try center.postAndWait(Ping(), timeout: .seconds(240))
                    }
                },
                center.observe(Tick.self, of: "inner", on: .mailbox(worker.mail)) { _ in },
                center.observe(Ping.self, options: .paced(.debounce(.milliseconds(1)))) { _ in
                    wait { () throws(PostWaitError) in
                        try center.postAndWait(
                            Tick(number: 1), subject: "inner", timeout: .seconds(240))
                    }
                },
            ]
            center.post(Tick(number: 0), subject: "worker")
            worker.run()
            for token in tokens { token.cancel() }
        }
        #expect(codes.entries == [.cycle])
    }

    @Test(.rule(12)) func `An async handler that would wait for room at itself gets an error`()
        async
    {
        let (center, codes) = (center, Log<PostWaitError.Code>())
        let token = center.observe(Tick.self, options: .bounded(.wait(above: 1))) { tick in
            guard tick.number == 0 else { return }
            do throws(PostWaitError) {
                try await center.postWhenRoom(Tick(number: 1))
                try await center.postWhenRoom(Tick(number: 2))
            } catch {
                codes.add(error.code)
            }
        }
        center.post(Tick(number: 0))
        #expect(await codes.arrival(of: 1) == [.cycle])
        token.cancel()
    }

    @Test(.rule(12)) func `A handler that is called beside others may wait for room at itself`()
        async throws
    {
        let (center, log) = (center, Log<Int>())
        let token = center.observe(
            Tick.self, options: .concurrent.bounded(.wait(above: 1))
        ) { tick in
            if tick.number == 0 {
                for number in 1...5 { try await center.postWhenRoom(Tick(number: number)) }
            }
            log.add(tick.number)
        }
        center.post(Tick(number: 0))
        #expect(await log.arrival(of: 6).sorted() == Array(0...5))
        token.cancel()
    }

    @Test(.rule(12), arguments: [2, 3])
    func `A cycle of two or three threads is named in the error`(
        size: Int
    ) {
        center.onProblem { _ in }
        let workers = (0..<size).map { Worker("worker \($0)") }
        let (center, errors) = (center, Log<PostWaitError>())
        let done = Counter()
        // The handlers of all workers post to the next worker at once, and wait.
        let inside = Gate(size)
        let tokens = workers.indices.map { index in
            center.observe(Tick.self, of: "to \(index)", on: .mailbox(workers[index].mail)) {
                tick in
                guard tick.number == 0 else { return }
                inside.arriveAndWait()
                do throws(PostWaitError) {
                    try center.postAndWait(
                        Tick(number: 1), subject: "to \((index + 1) % size)", timeout: .seconds(240)
                    )
                } catch {
                    errors.add(error)
                }
                if done.add() == size { for worker in workers { worker.stop() } }
            }
        }
        for index in 0..<size { center.post(Tick(number: 0), subject: "to \(index)") }
        onThreads(size) { workers[$0].run() }
        // The wait that begins last closes the cycle; the others then end as usual.
        #expect(errors.entries.count == 1)
        #expect(errors.entries.first?.code == .cycle)
        let text = errors.entries.first?.description ?? ""
        #expect(text.contains("would wait for"), "\(text)")
        #expect(text.split(separator: "which waits for").count >= size - 1, "\(text)")
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12))
    func `Awaited posts return when async handlers have returned, and detect their own cycle`()
        async throws
    {
        let (center, log) = (center, Log<String>())
        let slow = center.observe(Ping.self) { ping in
            await Task.yield()
            log.add("handled \(ping.number)")
        }
        try await center.postAndWait(Ping(number: 1), timeout: .seconds(240))
        log.add("returned")
        #expect(log.entries == ["handled 1", "returned"])
        let codes = Log<PostWaitError.Code>()
        let own = center.observe(Tick.self) { tick in
            guard tick.number == 0 else { return }
            do throws(PostWaitError) {
                try await center.postAndWait(Tick(number: 1))
            } catch {
                codes.add(error.code)
            }
        }
        try await center.postAndWait(Tick(number: 0))
        #expect(codes.entries == [.cycle])
        slow.cancel()
        own.cancel()
    }

    @Test(.rule(12)) func `Cancelling the task ends the wait of an awaited post`() async {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let center = center
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        let task = Task { () -> PostWaitError.Code? in
            do throws(PostWaitError) {
                try await center.postAndWait(Ping())
                return nil
            } catch {
                return error.code
            }
        }
        while mailbox.depth == 0 { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
        token.cancel()
    }

    @Test(.rule(28))
    func `A full observer holds a post that waits back, and refuses one that does not`()
        async throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let (center, log) = (center, Log<Int>())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 2))
        ) { log.add($0.number) }
        try await center.postWhenRoom(Ping(number: 1))
        try await center.postWhenRoom(Ping(number: 2))
        #expect(center.postAndReport(Ping(number: -1)).refused == 1)
        let posted = Flag()
        let task = Task {
            try await center.postWhenRoom(Ping(number: 3))
            posted.set()
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(!posted.isSet)
        while log.entries.count < 3 {
            mailbox.drain()
            await Task.yield()
        }
        try await task.value
        #expect(log.entries == [1, 2, 3])
        token.cancel()
    }

    @Test(.rule(28))
    func `A poster that gives up waiting for room, or whose observer ends, posts nothing later`()
        async throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let (center, log) = (center, Log<Int>())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
        ) { log.add($0.number) }
        center.post(Ping(number: 1))
        await #expect(throws: PostWaitError.self) {
            try await center.postWhenRoom(Ping(number: 2), timeout: .milliseconds(1))
        }
        let task = Task { try await center.postWhenRoom(Ping(number: 3)) }
        for _ in 0..<100 { await Task.yield() }
        token.cancel()
        _ = try await task.value
        mailbox.drain()
        #expect(log.entries.isEmpty)
    }

    @Test(.rule(28))
    func `A post for which the time is up is made, or its error says that it is not`()
        async
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let (center, heard, made) = (center, Counter(), Counter())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
        ) { _ in heard.add() }
        let left = Counter()
        await onOwnThread {
            onThreads(3) { index in
                if index == 0 {
                    while left.value < 2 { mailbox.drain() }
                    for _ in 0..<10 { mailbox.drain() }
                    return
                }
                for _ in 0..<3_000 {
                    do {
                        try center.postWhenRoom(Ping(), timeout: .microseconds(20))
                        made.add()
                    } catch let error as PostWaitError {
                        #expect(error.receipt.refused == 1)
                        #expect(
                            error.description.contains("1 of the post's deliveries found no room")
                        )
                    } catch {
                        Issue.record(error)
                    }
                }
                left.add()
            }
        }
        #expect(heard.value == made.value)
        token.cancel()
    }

    @Test(.rule(12, 28))
    func `A post that waits for its handlers in vain says that a delivery found no room`() async {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let (center, log) = (center, Log<Int>())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
        ) { log.add($0.number) }
        center.post(Ping(number: 1))
        let late = await onOwnThread {
            #expect(throws: PostWaitError.self) {
                try center.postAndWait(Ping(number: 2), timeout: .milliseconds(1))
            }
        }
        #expect(late?.code == .timedOut && late?.receipt.refused == 1)
        #expect(late?.description.contains("1 of the post's deliveries found no room") == true)
        let task = Task { try await center.postAndWait(Ping(number: 3)) }
        task.cancel()
        let cancelled = await #expect(throws: PostWaitError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled && cancelled?.receipt.refused == 1)
        mailbox.drain()
        #expect(log.entries == [1])
        token.cancel()
    }

    @Test(.rule(28)) func `A post that finds others waiting for room does not overtake them`()
        async throws
    {
        let (center, log, late) = (center, Log<Int>(), Log<PostReceipt>())
        let mailbox = DeliveryMailbox(
            target: HandDrained(), highWaterMark: 2, bound: .wait(above: 3))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        let other = center.observe(Tick.self, on: .mailbox(mailbox)) { _ in }
        center.post(Ping(number: 1))
        let poster = Poster(center)
        let waiting = [
            await poster.beginWaiting(Ping(number: 2)), await poster.beginWaiting(Ping(number: 3)),
        ]
        // The hook is called when the first waiting post has its place, and there is room for the
        // other.
        center.onProblem { [weak center] problem in
            guard problem.kind == .highWater, let center else { return }
            late.add(center.postAndReport(Ping(number: 4)))
        }
        // Two observers share the mailbox's bound, and from here on one observer has all of it.
        other.cancel()
        await until {
            mailbox.drain()
            return log.entries.count >= 3
        }
        for task in waiting { _ = try await task.value }
        #expect(late.entries.map(\.refused) == [1])
        #expect(log.entries == [1, 2, 3])
        token.cancel()
    }

    @Test(.rule(12, 28))
    func `Posts that wait get room although a hook has ended the thread that gave it`()
        async throws
    {
        let (center, log, code) = (center, Log<Int>(), Log<PostWaitError.Code?>())
        let mailbox = DeliveryMailbox(target: HandDrained(), highWaterMark: 1)
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
        ) { log.add($0.number) }
        center.onProblem { _ in }
        let first = Task {
            do { _ = try await center.postAndWait(Ping(number: 1)) } catch {
                code.add((error as? PostWaitError)?.code)
            }
        }
        await until { mailbox.depth == 1 }
        let poster = Poster(center)
        let waiting = [
            await poster.beginWaiting(Ping(number: 2)), await poster.beginWaiting(Ping(number: 3)),
        ]
        // The drain takes the first delivery, and gives its room to the second, which is reported.
        center.onProblem { _ in endThisThread() }
        await onOwnThread { onThreads(1) { _ in mailbox.drain() } }
        center.onProblem { _ in }
        for _ in 0..<2 { mailbox.drain() }
        try #require(log.entries == [2, 3])
        for task in waiting { _ = try await task.value }
        await first.value
        #expect(code.entries == [.targetEnded])
        token.cancel()
    }

    @Test(.rule(28)) func `A hook that waits for room gets it behind the posts that came before`()
        async throws
    {
        let (center, log, heard) = (center, Log<Int>(), Log<[Int]>())
        let mailbox = DeliveryMailbox(
            target: HandDrained(), highWaterMark: 3, bound: .wait(above: 4))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { log.add($0.number) }
        let other = center.observe(Tick.self, on: .mailbox(mailbox)) { _ in }
        for number in 1...2 { center.post(Ping(number: number)) }
        let poster = Poster(center)
        let waiting = [
            await poster.beginWaiting(Ping(number: 3)), await poster.beginWaiting(Ping(number: 4)),
        ]
        // The hook is called when the third post has its place, on the thread that is to give the
        // fourth its place next.
        center.onProblem { [weak center] problem in
            guard problem.kind == .highWater, heard.entries.isEmpty, let center else { return }
            _ = PostWait.start(waitsForRoom: true) {
                center.engine.post(Ping(number: 5), for: $0)
            } whenDone: { _, _ in
            }
            onThreads(1) { _ in for _ in 0..<5 { mailbox.drain() } }
            heard.add(log.entries)
        }
        await onOwnThread { other.cancel() }
        #expect(heard.entries == [[1, 2, 3, 4, 5]])
        for _ in 0..<5 { mailbox.drain() }
        #expect(log.entries == [1, 2, 3, 4, 5])
        for task in waiting { _ = try await task.value }
        token.cancel()
    }

    @Test(.rule(28)) func `Each observer that goes leaves its share to the posts that wait`()
        async throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained(), bound: .wait(above: 6))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        var others = (0..<2).map { _ in center.observe(Tick.self, on: .mailbox(mailbox)) { _ in } }
        let poster = Poster(center)
        for number in 0..<2 { center.post(Ping(number: number)) }
        var waiting: [Task<PostReceipt, any Error>] = []
        for number in 2..<6 { waiting.append(await poster.beginWaiting(Ping(number: number))) }
        others.removeLast().cancel()
        #expect(mailbox.depth == 3)
        others.removeLast().cancel()
        #expect(mailbox.depth == 6)
        // A post that still waits here would wait for ever.
        if mailbox.depth < 6 { for task in waiting { task.cancel() } }
        for task in waiting { _ = try await task.value }
        token.cancel()
    }

    @Test(.rule(28)) func `All posts that wait get the room that an observer leaves`() async throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained(), bound: .wait(above: 200))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        let other = center.observe(Tick.self, on: .mailbox(mailbox)) { _ in }
        let poster = Poster(center)
        for number in 0..<100 { center.post(Ping(number: number)) }
        var waiting: [Task<PostReceipt, any Error>] = []
        for number in 100..<200 { waiting.append(await poster.beginWaiting(Ping(number: number))) }
        #expect(mailbox.depth == 100)
        other.cancel()
        #expect(mailbox.depth == 200)
        // A post that still waits here would wait for ever.
        if mailbox.depth < 200 { for task in waiting { task.cancel() } }
        for task in waiting { _ = try? await task.value }
        token.cancel()
    }

    @Test(.rule(28)) func `No post overtakes a post that has got room but no place in the mailbox`()
        throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        let (flow, shared) = (
            BoundedFlow(.wait(above: 1)), try #require(token.observation.mailbox)
        )
        var state = BoundedState()
        func parcel() -> BoundedParcel {
            BoundedParcel(AnyParcel(objectIsGone: false), key: nil, in: flow)
        }
        let (queued, last) = (parcel(), parcel())
        let waiter = RoomWaiter(parcel(), token.observation, shared, PostWait(.nothing))
        _ = state.decide(queued, .wait, 1, nil)
        _ = state.decide(waiter.held, .wait, 1, waiter)
        // Other observers have left room for two more.
        let (first, second) = (state.admit(3), state.admit(3))
        #expect(first?.waiter === waiter && second == nil)
        guard case .refuse = state.decide(last, .wait, 3, nil) else {
            Issue.record("a later delivery gets its place in the mailbox first")
            return
        }
        // The waiting post takes its place in the mailbox.
        #expect(state.admitNext(3, in: first?.turn ?? 0) == nil)
        guard case .queue(lost: nil) = state.decide(last, .wait, 3, nil) else {
            Issue.record("there is room, and nobody waits")
            return
        }
        token.cancel()
    }

    @Test(.rule(28)) func `No later post takes the room that a drain makes for posts that wait`()
        async throws
    {
        let center = center
        for _ in 0..<300 {
            let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
            let token = center.observe(
                Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
            ) { log.add($0.number) }
            center.post(Ping(number: 1))
            let poster = Poster(center)
            let waiting = [
                await poster.beginWaiting(Ping(number: 2)),
                await poster.beginWaiting(Ping(number: 3)),
            ]
            let end = ContinuousClock.now + patience
            onThreads(2) { index in
                if index == 0 {
                    while log.entries.count < 4, .now < end { mailbox.drain() }
                } else {
                    while center.postAndReport(Ping(number: 4)).queued == 0, .now < end {}
                }
            }
            for task in waiting { _ = try await task.value }
            #expect(log.entries == [1, 2, 3, 4])
            token.cancel()
        }
    }

    @Test(.rule(28)) func `The receipt of a post that waited for room counts each delivery once`()
        async throws
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        center.onProblem { _ in }
        func observe() -> ObservationToken {
            center.observe(
                Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
            ) { _ in }
        }
        let first = observe()
        center.post(Ping())
        let cancelled = await Poster(center).beginWaiting(Ping())
        first.cancel()
        #expect(try await cancelled.value.queued == 0)
        let second = observe()
        center.post(Ping())
        let undeliverable = await Poster(center).beginWaiting(Ping())
        mailbox.close()
        do {
            _ = try await undeliverable.value
            Issue.record("it returned")
        } catch {
            #expect((error as? PostWaitError)?.receipt.description == "1 undeliverable")
        }
        second.cancel()
    }

    @Test(.rule(12, 28)) func `A post whose delivery gave way to another waits for it no longer`()
        async throws
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.dropOldest(above: 1))
        ) { _ in }
        let waiting = Task { try await center.postAndWait(Ping(), timeout: patience) }
        await until { mailbox.depth == 1 }
        #expect(center.postAndReport(Ping()).dropped == 1)
        #expect(try await waiting.value.description == "1 dropped")
        token.cancel()
    }

    @Test(.rule(28)) func `Every poster that waits for room learns that the mailbox has closed`()
        async throws
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let lost = Counter()
        center.onProblem { lost.add($0.count) }
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
        ) { _ in }
        center.post(Ping())
        let codes = await withTaskGroup(of: PostWaitError.Code?.self) { group in
            for _ in 0..<2_000 {
                group.addTask {
                    do throws(PostWaitError) {
                        try await center.postWhenRoom(Ping())
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            // Each post waits by now, or will come too late.
            for _ in 0..<10_000 { await Task.yield() }
            mailbox.close()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == .targetEnded } == 2_000)
        token.cancel()
    }

    @Test(.rule(28)) func `A post that gave up keeps nothing, and counts as lost`() async throws {
        let (center, mailbox, ended) = (center, DeliveryMailbox(target: HandDrained()), Counter())
        struct Load: NotificationMessage { let probe: Probe }
        let lags = Log<Int>()
        let token = center.observe(
            Load.self, on: .mailbox(mailbox),
            options: .bounded(.wait(above: 1).onLag { lags.add($0) })
        ) { _ in }
        center.post(Load(probe: Probe(ended)))
        for _ in 0..<10 {
            do throws(PostWaitError) {
                try await center.postWhenRoom(
                    Load(probe: Probe(ended)), timeout: .milliseconds(1))
            } catch {
                #expect(error.receipt.refused == 1)
                #expect(error.receipt.queued == 0)
            }
        }
        #expect(ended.value == 10)
        #expect(center.snapshot().entries.first?.lost == 10)
        mailbox.drain()
        center.post(Load(probe: Probe(ended)))
        mailbox.drain()
        #expect(lags.entries == [10])
        token.cancel()
    }

    @Test(.rule(28)) func `A producer that waits for room loses nothing, and is never far ahead`()
        async throws
    {
        let (center, log, ahead) = (center, Log<Int>(), Log<Int>())
        let token = center.observe(
            Ping.self, options: .bounded(.wait(above: 4))
        ) { ping in
            await Task.yield()
            log.add(ping.number)
        }
        for number in 0..<2_000 {
            try await center.postWhenRoom(Ping(number: number))
            ahead.add(number - log.entries.count)
        }
        try await center.postAndWait(Ping(number: 2_000))
        #expect(log.entries == Array(0...2_000))
        #expect((ahead.entries.max() ?? 0) <= 6)
        token.cancel()
    }

    @Test(.rule(12)) func `A wait that is over is not kept`() async throws {
        let token = center.observe(Ping.self) { (_: Ping) async in await Task.yield() }
        weak var last: PostWait?
        for _ in 0..<10 {
            _ = try await PostWait.run(.handled, timeout: nil) { wait in
                last = wait
                return center.engine.post(Ping(), for: wait)
            }
        }
        await until { last == nil }
        #expect(last == nil)
        token.cancel()
    }
}

@Suite("Cancellations that wait") struct CancelAndWaitTests {
    private let center = MessageCenter()

    @Test(.rule(14)) func `cancelAndWait waits for a delivery that another thread is inside of`() {
        let (inside, leave) = (Gate(), Gate())
        let (center, log) = (center, Log<String>())
        let token = center.observe(Ping.self) { _ in
            inside.arrive()
            leave.wait()
            log.add("handler returned")
        }
        onThreads(3) { index in
            switch index {
            case 0: center.post(Ping())
            case 1:
                inside.wait()
                #expect(token.cancelAndWait())
                log.add("cancelAndWait returned")
            default:
                inside.wait()
                while !token.isCancelled {}
                for _ in 0..<1000 { #expect(log.entries.isEmpty) }
                leave.arrive()
            }
        }
        #expect(log.entries == ["handler returned", "cancelAndWait returned"])
    }

    @Test(.rule(14)) func `No handler runs after cancelAndWait, under stress`() {
        let center = center
        for _ in 0..<300 {
            let (running, over, wrong) = (Counter(), Flag(), Counter())
            let token = center.observe(Ping.self) { _ in
                running.add()
                if over.isSet { wrong.add() }
                running.add(-1)
            }
            onThreads(2) { index in
                if index == 0 {
                    for _ in 0..<20 { center.post(Ping()) }
                } else {
                    token.cancelAndWait()
                    #expect(running.value == 0)
                    over.set()
                }
            }
            #expect(wrong.value == 0)
        }
    }

    @Test(.rule(14))
    func `cancelAndWait returns beside a drain that only skips cancelled mail`() {
        let center = center
        for _ in 0..<30 {
            let mailbox = DeliveryMailbox(target: HandDrained())
            let (inside, storage) = (Gate(), TokenBox())
            let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in
                inside.arrive()
                while storage.token?.isCancelled != true {}
            }
            storage.token = token
            for _ in 0..<20_000 { center.post(Ping()) }
            let (returned, late) = (Gate(), Flag())
            onThreads(3) { index in
                switch index {
                case 0: mailbox.drain()
                case 1:
                    inside.wait()
                    token.cancelAndWait()
                    returned.arrive()
                default:
                    if returned.wait() { return }
                    late.set()
                    // The signal releases the waiting thread, so that the test ends.
                    DeliveryEnds.signal(token.observation.address)
                }
            }
            #expect(!late.isSet)
            if late.isSet { break }
        }
    }

    @Test(.rule(14)) func `A handler that calls cancelAndWait does not wait for itself`() {
        let results = Log<Bool>()
        let center = center
        let storage = TokenBox()
        let token = center.observe(Ping.self) { _ in
            if let token = storage.token { results.add(token.cancelAndWait()) }
        }
        storage.token = token
        center.post(Ping())
        #expect(results.entries == [true])
    }

    @Test(.rule(14))
    func `One of two handlers that cancel each other gets false, and the cycle is reported`() {
        let (first, second) = (TokenBox(), TokenBox())
        let (center, results, problems) = (center, Log<Bool>(), Log<DeliveryProblem.Kind>())
        center.onProblem { problems.add($0.kind) }
        let inside = Gate(2)
        first.token = center.observe(Tick.self, of: "first") { _ in
            inside.arriveAndWait()
            if let token = second.token { results.add(token.cancelAndWait()) }
        }
        second.token = center.observe(Tick.self, of: "second") { _ in
            inside.arriveAndWait()
            if let token = first.token { results.add(token.cancelAndWait()) }
        }
        onThreads(2) { center.post(Tick(), subject: $0 == 0 ? "first" : "second") }
        #expect(results.entries.sorted { !$0 && $1 } == [false, true])
        #expect(problems.entries == [.wouldNotReturn])
    }

    @Test(.rule(14)) func `cancelAndDrain waits for an async handler, not for its own`() async {
        let (inside, leave) = (Flag(), Flag())
        let (center, log) = (center, Log<String>())
        let token = center.observe(Ping.self) { _ in
            inside.set()
            while !leave.isSet { await Task.yield() }
            log.add("handler returned")
        }
        center.post(Ping())
        while !inside.isSet { await Task.yield() }
        let task = Task {
            #expect(await token.cancelAndDrain())
            log.add("cancelAndDrain returned")
        }
        while !token.isCancelled { await Task.yield() }
        leave.set()
        await task.value
        #expect(log.entries == ["handler returned", "cancelAndDrain returned"])

        let own = TokenBox()
        let done = Flag()
        own.token = center.observe(Tick.self) { _ in
            if let token = own.token { #expect(await token.cancelAndDrain()) }
            done.set()
        }
        center.post(Tick())
        while !done.isSet { await Task.yield() }
    }
}

/// A token that its own handler uses.
private final class TokenBox: Sendable {
    private let storage = Guarded<ObservationToken?>(nil)
    var token: ObservationToken? {
        get { storage.withLock { $0 } }
        set { _ = storage.exchange(newValue) }
    }
}
