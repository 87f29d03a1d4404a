// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

@Suite("Contexts") struct ContextTests {
    let center = Switchyard.NotificationCenter()

    final class Listener: NSObject, Sendable {
        let log = Log<String>()
        func hear(_ note: Notification) { log.add("hear \(note.name.rawValue) on \(threadName)") }
        func also(_ note: Notification) { log.add("also \(note.name.rawValue) on \(threadName)") }
        func ping(_ ping: Ping) { log.add("ping \(ping.number) on \(threadName)") }
    }

    @Test(.rule(3)) func `A handler runs on the posting thread by default`() {
        let log = Log<String>()
        let token = center.observe(.happened) { _ in log.add(threadName) }
        onThread("poster") { [center] in center.post(name: .happened, object: nil) }
        #expect(log.entries == ["poster"])
        token.cancel()
    }

    @Test(.rule(8, 23))
    func `A DeliveryThread hears what other threads post, in order, with a sleeping loop`() {
        let worker = DeliveryThread(name: "worker")
        let log = Log<String>()
        let token = center.observe(Ping.self, on: .thread(worker)) { ping in
            log.add("\(ping.number) \(threadName)")
        }
        for number in 0..<3 {
            center.post(Ping(number: number))
            log.wait(for: number + 1)
        }
        #expect(log.entries == ["0 worker", "1 worker", "2 worker"])
        token.cancel()
        worker.stop()
        #expect(worker.join(timeout: .seconds(10)))
    }

    @Test
    func `Several methods of several objects run each on the thread that its registration named`() {
        let threads = ["one", "two"].map { DeliveryThread(name: $0) }
        let listeners = threads.map { _ in Listener() }
        for (thread, listener) in zip(threads, listeners) {
            center.observe(.happened, with: listener, Listener.hear, on: .thread(thread))
            center.observe(.happened, with: listener, Listener.also, on: .thread(thread))
            center.observe(Ping.self, with: listener, Listener.ping, on: .thread(thread))
        }
        center.post(name: .happened, object: nil)
        center.post(Ping(number: 1))
        for (thread, listener) in zip(threads, listeners) {
            let name = thread.name
            #expect(
                listener.log.wait(for: 3) == [
                    "hear happened on \(name)", "also happened on \(name)", "ping 1 on \(name)",
                ])
        }
        let contexts = Set(center.snapshot().entries.map(\.context))
        #expect(contexts == ["thread one", "thread two"])
    }

    @Test(.rule(10)) func `A post on the target thread is inline when nothing waits`() {
        let worker = DeliveryThread(name: "worker")
        let log = Log<String>()
        let token = center.observe(.happened, on: .thread(worker)) { _ in log.add("heard") }
        let done = Gate()
        worker.perform { [center] in
            log.add("before")
            center.post(name: .happened, object: nil)
            log.add("after")
            done.open()
        }
        done.wait()
        #expect(log.entries == ["before", "heard", "after"])
        token.cancel()
    }

    @Test(.rule(11)) func `thisThread delivers on the run loop of the thread that registered`() {
        let log = Log<String>()
        let (ready, center) = (Gate(), center)
        let thread = Thread {
            ThreadName.current = "mine"
            let token = center.observe(.happened, on: .thisThread) { _ in log.add(threadName) }
            ready.open()
            while log.entries.isEmpty {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
            }
            token.cancel()
        }
        thread.start()
        ready.wait()
        center.post(name: .happened, object: nil)
        #expect(log.wait(for: 1) == ["mine"])
    }

    @Test(.rule(21)) func `An observer that is not Sendable may stay on its thread`() {
        final class Local {
            let log: Log<String>
            init(_ log: Log<String>) { self.log = log }
            func hear(_ note: Notification) { log.add("local") }
        }
        let log = Log<String>()
        onThread { [center] in
            let local = Local(log)
            center.observe(.happened, with: local, Local.hear, on: .thisThread)
            center.post(name: .happened, object: nil)
        }
        #expect(log.entries == ["local"])
    }

    @Test(.rule(11)) func `A task can't hear on the thread on which it happens to run`()
        async throws
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            // On a thread of the program's own, on which the task runs until its first `await`.
            let run = ThreadForEachJob()
            await Task(executorPreference: run) {
                let center = Switchyard.NotificationCenter()
                center.observeHere()
            }.value
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a task may go on on another thread after each await"))
    }

    @Test(.rule(11, 21, 44, 47))
    func `Patterns and answers may stay on this thread, with what is not Sendable`() async throws {
        struct Square: RequestMessage {
            typealias Reply = Int
            var number: Int
        }
        final class Squarer {
            let heard: Log<String>
            init(_ heard: Log<String>) { self.heard = heard }
            func square(_ request: Square) -> Int { request.number * request.number }
            func hear(_ notification: Notification) { heard.add("\(threadName) method") }
        }
        let (center, heard, ready) = (center, Log<String>(), Log<[ObservationToken]>())
        let worker = DeliveryThread(name: "worker")
        worker.perform {
            let squarer = Squarer(heard)
            var count = 0
            ready.add([
                center.observe(matching: "*", on: .thisThread) { _ in
                    count += 1
                    heard.add("\(threadName) \(count)")
                },
                center.observe(matching: "*", with: squarer, Squarer.hear, on: .thisThread),
                center.answer(Square.self, on: .thisThread) { squarer.square($0) + count },
                center.answer(Square.self, with: squarer, Squarer.square, on: .thisThread),
            ])
        }
        await ready.arrival(of: 1)
        center.post(name: .happened, object: nil)
        #expect(await heard.arrival(of: 2) == ["worker 1", "worker method"])
        let all = try await center.request(Square(number: 3), .all, within: .seconds(240))
        #expect(all == [10, 9])
        for token in ready.entries.flatMap(\.self) { token.cancel() }
    }

    @Test(.rule(11)) func `A thread that has not attached itself can't be named`() async {
        await #expect(processExitsWith: .failure) {
            let thread = Thread {}
            _ = Switchyard.NotificationCenter().observe(.happened, on: .thread(thread)) { _ in }
        }
        #expect(Thread {}.deliveryMailbox == nil)
    }

    @Test(.rule(11)) func `thisThread on a dispatch queue's thread stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let done = DispatchSemaphore(value: 0)
            DispatchQueue(label: "worker").async {
                Thread.attachCurrentForDelivery()
                done.signal()
            }
            await Task.detached { Self.block(on: done) }.value
        }
    }

    static func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test(.rule(11)) func `Another thread's run loop is attached by a block sent through it`() {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let (found, registered, stop) = (Gate(), Gate(), Gate())
        let holder = Loop()
        let log = Log<String>()
        let thread = Thread {
            ThreadName.current = "looping"
            holder.loop = RunLoop.current
            found.open()
            registered.wait()
            while log.entries.count < 2 {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
            }
            stop.wait()
        }
        thread.start()
        found.wait()
        guard let loop = holder.loop else { return }
        let first = center.observe(.happened, on: .runLoop(loop)) { _ in log.add(threadName) }
        let second = center.observe(.happened, on: .runLoop(loop)) { _ in log.add(threadName) }
        #expect(center.postAndReport(name: .happened, object: nil).queued == 2)
        registered.open()
        #expect(log.wait(for: 2) == ["looping", "looping"])
        stop.open()
        first.cancel()
        second.cancel()
    }

    @Test(.rule(24)) func `Mail for a custom mode waits until the loop runs in it`() {
        let log = Log<String>()
        onThread { [center] in
            let mode = RunLoop.Mode("custom")
            let tokens = [
                center.observe(.happened, on: .runLoop(.current, modes: [mode])) { _ in
                    log.add("custom")
                },
                center.observe(.happened, on: .runLoop(.current)) { _ in log.add("common") },
            ]
            onThread { center.post(name: .happened, object: nil) }
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1))
            log.add("default ran")
            _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 1))
            withExtendedLifetime(tokens) {}
        }
        #expect(log.entries == ["common", "default ran", "custom"])
    }

    /// The modes in which a post on the loop's own thread is heard inline. Four are tried: outside
    /// of any run, the default mode, a custom mode, and a common one.
    private func inlineModes(_ context: @escaping @Sendable () -> DeliveryContext) -> [String] {
        let log = Log<String>()
        onThread { [center] in
            addCommonMode("shared")
            let modes = [RunLoop.Mode.default, RunLoop.Mode("custom"), RunLoop.Mode("shared")]
            Thread.attachCurrentForDelivery()
            let token = center.observe(Ping.self, on: context()) { _ in }
            let ask: @Sendable (String) -> Void = { place in
                if center.postAndReport(Ping()).delivered == 1 { log.add(place) }
            }
            ask("none")
            for mode in modes {
                // No mail waits when the question comes.
                for other in modes + modes { runLoopOnce(in: other) }
                RunLoop.current.perform(inModes: [mode]) { ask(mode.rawValue) }
                runLoopOnce(in: mode)
            }
            token.cancel()
        }
        return log.entries
    }

    @Test(.rule(10, 24))
    func `A post on the loop's thread is inline in the context's modes only`() {
        let standard = RunLoop.Mode.default
        #expect(
            inlineModes { .runLoop(.current, modes: [standard]) } == [standard.rawValue])
        #expect(
            inlineModes { .runLoop(.current, modes: [RunLoop.Mode("custom"), .common]) }
                == [standard.rawValue, "custom", "shared"])
        #expect(inlineModes { .runLoop(.current) } == ["none", standard.rawValue, "shared"])
        #expect(
            inlineModes { .mailbox(Thread.attachCurrentForDelivery()) }
                == ["none", standard.rawValue, "shared"])
    }

    @Test(.rule(24)) func `A post made in no mode of the context waits until the loop runs in one`()
    {
        let log = Log<String>()
        onThread { [center] in
            let mode = RunLoop.Mode("custom")
            let token = center.observe(Ping.self, on: .runLoop(.current, modes: [mode])) { _ in
                log.add(RunLoop.current.currentMode?.rawValue ?? "none")
            }
            #expect(center.postAndReport(Ping()).queued == 1)
            runLoop(in: mode) { !log.entries.isEmpty }
            token.cancel()
        }
        #expect(log.entries == ["custom"])
    }

    @Test(.rule(12), arguments: [false, true])
    func `A post that waits for its own thread is inline in any mode`(isAttached: Bool) {
        let log = Log<String>()
        onThread { [center] in
            if isAttached { Thread.attachCurrentForDelivery() }
            let token = center.observe(
                Ping.self, on: .runLoop(.current, modes: [RunLoop.Mode("custom")])
            ) { _ in log.add("heard") }
            _ = try? center.postAndWait(Ping(), timeout: .seconds(240))
            log.add("after")
            token.cancel()
        }
        #expect(log.entries == ["heard", "after"])
    }

    @Test(.rule(22)) func `A nested run loop in a handler goes on with the waiting mail, in order`()
    {
        let log = Log<String>()
        onThread { [center] in
            let token = center.observe(Ping.self, on: .thisThread) { ping in
                log.add("begin \(ping.number)")
                if ping.number == 0 {
                    while log.entries.count < 5 {
                        let soon = Date(timeIntervalSinceNow: 1)
                        guard RunLoop.current.run(mode: .default, before: soon) else { break }
                    }
                }
                log.add("end \(ping.number)")
            }
            onThread { for number in 0..<3 { center.post(Ping(number: number)) } }
            while log.entries.count < 6 {
                let soon = Date(timeIntervalSinceNow: 1)
                guard RunLoop.current.run(mode: .default, before: soon) else { break }
            }
            token.cancel()
        }
        #expect(
            log.entries == ["begin 0", "begin 1", "end 1", "begin 2", "end 2", "end 0"])
    }

    @Test(.rule(23)) func `A drain lets the loop's timers through`() {
        let log = Log<Int>()
        onThread { [center] in
            // The handler makes more mail, for ever, and the timer still fires.
            let token = center.observe(Ping.self, on: .thisThread) { ping in
                if log.entries.isEmpty { center.post(Ping(number: ping.number + 1)) }
            }
            let timer = Timer(timeInterval: 0.01, repeats: true) { _ in log.add(1) }
            RunLoop.current.add(timer, forMode: .default)
            onThread { center.post(Ping()) }
            let limit = Date(timeIntervalSinceNow: 10)
            while log.entries.isEmpty, Date() < limit {
                _ = RunLoop.current.run(mode: .default, before: limit)
            }
            timer.invalidate()
            token.cancel()
        }
        #expect(log.entries == [1])
    }

    @Test(.rule(8, 9))
    func `A dispatch queue and an operation queue deliver in order, one at a time`() {
        let queue = DispatchQueue(label: "serial")
        let wide = DispatchQueue(label: "wide", attributes: .concurrent)
        let operations = OperationQueue()
        for context: DeliveryContext in [
            .dispatchQueue(queue), .dispatchQueue(wide), .operationQueue(operations),
        ] {
            let log = Log<Int>()
            let token = center.observe(Ping.self, on: context) { log.add($0.number) }
            for number in 0..<1000 { center.post(Ping(number: number)) }
            #expect(log.wait(for: 1000) == Array(0..<1000))
            token.cancel()
        }
        #expect(
            DeliveryContext.dispatchQueue(queue).mailbox
                === DeliveryContext.dispatchQueue(queue).mailbox)
    }

    @Test func `A registration keeps its dispatch queue alive`() {
        let log = Log<String>()
        let token = center.observe(
            .happened, on: .dispatchQueue(DispatchQueue(label: "mine"))
        ) { _ in log.add("heard") }
        center.post(name: .happened, object: nil)
        #expect(log.wait(for: 1) == ["heard"])
        token.cancel()
    }

    @Test func `Cancelling a queue's operations does not drop the mail`() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: .operationQueue(queue)) { log.add($0.number) }
        center.post(Ping(number: 1))
        queue.cancelAllOperations()
        queue.isSuspended = false
        center.post(Ping(number: 2))
        #expect(log.wait(for: 2) == [1, 2])
        token.cancel()
    }

    @Test func `A DeliveryThread runs blocks in order, also with a run loop inside one`() {
        let worker = DeliveryThread(name: "worker")
        let log = Log<String>()
        worker.perform {
            log.add("a begins")
            worker.perform { log.add("c") }
            while log.entries.count < 3 {
                let soon = Date(timeIntervalSinceNow: 10)
                guard RunLoop.current.run(mode: .default, before: soon) else { break }
            }
            log.add("a ends")
        }
        worker.perform { log.add("b") }
        // b may be given before or after a began, so it comes before or after c. a ends last.
        #expect(log.wait(for: 4).last == "a ends")
        worker.stop()
        #expect(worker.join(timeout: .seconds(240)))
    }

    @Test(.rule(11)) func `Another thread's run loop is attached also while it sleeps`() {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let found = Gate()
        let holder = Loop()
        let log = Log<String>()
        let thread = Thread {
            holder.loop = RunLoop.current
            let timer = Timer(timeInterval: 60, repeats: true) { _ in }
            RunLoop.current.add(timer, forMode: .common)
            found.open()
            while log.entries.isEmpty {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 60))
            }
        }
        thread.start()
        found.wait()
        guard let loop = holder.loop else { return }
        let token = center.observe(.happened, on: .runLoop(loop)) { _ in log.add("heard") }
        center.post(name: .happened, object: nil)
        #expect(log.wait(for: 1) == ["heard"])
        token.cancel()
    }

    @Test(.rule(29))
    func `The end of a thread is noticed and reported, and registrations go inert`() {
        let problems = Log<String>()
        center.onProblem { problems.add("\($0.kind) \($0.count)") }
        let (attached, leave) = (Gate(), Gate())
        let log = Log<String>()
        let tokens = Log<Switchyard.NotificationCenter.ObservationToken>()
        let thread = Thread { [center] in
            tokens.add(center.observe(.happened, on: .thisThread) { _ in log.add("heard") })
            attached.open()
            leave.wait()
        }
        thread.start()
        attached.wait()
        center.post(name: .happened, object: nil)
        center.post(name: .happened, object: nil)
        leave.open()
        #expect(problems.wait(for: 1) == ["undeliverable 2"])
        #expect(center.postAndReport(name: .happened, object: nil).undeliverable == 1)
        #expect(log.entries == [])
        #expect(center.snapshot().entries.count == 1)
        for token in tokens.entries { token.cancel() }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test(.rule(29), arguments: [[RunLoop.Mode.common], [RunLoop.Mode("custom"), .default]])
    func `A loop that goes before it ever ran is reported, with its waiting mail`(
        modes: [RunLoop.Mode]
    ) {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let problems = Log<String>()
        center.onProblem { problems.add($0.description) }
        let (found, leave, holder) = (Gate(), Gate(), Loop())
        let thread = Thread {
            holder.loop = RunLoop.current
            found.open()
            leave.wait()
        }
        thread.start()
        found.wait()
        weak let loop = holder.loop
        let token = holder.loop.map { loop in
            center.observe(.happened, on: .runLoop(loop, modes: Set(modes))) { _ in }
        }
        holder.loop = nil
        for _ in 1...2 { center.post(name: .happened, object: nil) }
        #expect(problems.entries.isEmpty)
        leave.open()
        #expect(problems.wait(for: 1).first?.contains("ended with 2 deliveries waiting") == true)
        #expect(center.postAndReport(name: .happened, object: nil).undeliverable == 1)
        #expect(loop == nil)
        token?.cancel()
    }

    @Test(.rule(11)) func `A loop that was named before it ran is attached when it runs`() {
        final class Loop: @unchecked Sendable { var loop: RunLoop? }
        let (found, named, holder, log) = (Gate(), Gate(), Loop(), Log<String>())
        let thread = Thread {
            holder.loop = RunLoop.current
            found.open()
            named.wait()
            runLoop { log.entries.count == 2 }
        }
        thread.start()
        found.wait()
        let tokens = holder.loop.map { loop in
            [RunLoop.Mode.common, .default].map { mode in
                center.observe(.happened, on: .runLoop(loop, modes: [mode])) { _ in
                    log.add(mode.rawValue)
                }
            }
        }
        holder.loop = nil
        center.post(name: .happened, object: nil)
        named.open()
        #expect(log.wait(for: 2).count == 2)
        for token in tokens ?? [] { token.cancel() }
    }

    @Test func `A manual mailbox delivers when the test says so`() {
        let manual = ManualMailbox()
        let log = Log<Int>()
        let token = center.observe(Ping.self, on: manual.context) { log.add($0.number) }
        center.post(Ping(number: 1))
        #expect(manual.depth == 1)
        #expect(manual.wakeUps == 1)
        manual.drain()
        #expect(log.entries == [1])
        // Mail that is never drained goes with the mailbox.
        manual.close()
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }
}

/// Runs the jobs of tasks on a new thread each.
private final class ThreadForEachJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension Switchyard.NotificationCenter {
    fileprivate func observeHere() {
        let token = observe(Notification.Name("here"), on: .thisThread) { _ in }
        token.cancel()
    }
}
