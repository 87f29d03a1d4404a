// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import Synchronization
import TestSupport
import Testing

/// The beginning and the end of a `DeliveryThread`.
@Suite("Delivery threads", .timeLimit(.minutes(5))) struct DeliveryThreadTests {
    let center = Switchyard.NotificationCenter()

    /// A thread that is inside a block until it is told to go on, and then finds itself stopped.
    private func stopped(
        _ name: String = "worker", _ prepare: @escaping @Sendable () -> Void
    ) -> DeliveryThread {
        let worker = DeliveryThread(name: name)
        let (inside, go) = (Gate(), Gate())
        worker.perform {
            prepare()
            inside.open()
            go.wait()
        }
        inside.wait()
        worker.stop()
        go.open()
        return worker
    }

    // MARK: - Keeping it

    @Test func `A registration keeps its thread, and the last that ends lets it end`() {
        let log = Log<String>()
        let isInside = Gate()
        do {
            let token = center.observe(.happened, on: .thread(DeliveryThread(name: "kept"))) { _ in
                log.add(threadName)
                ThreadEndProbe.watch { log.add("ended") }
                isInside.open()
            }
            center.post(name: .happened, object: nil)
            isInside.wait()
            center.post(name: .happened, object: nil)
            #expect(log.wait(for: 2) == ["kept", "kept"])
            token.cancel()
        }
        #expect(log.wait(for: 3).last == "ended")
    }

    /// An observer on a thread of its own.
    private final class Owner: Sendable {
        let worker = DeliveryThread(name: "owned")
        func hear(_ notification: Notification) {}
    }

    @Test func `An observer that owns its thread does not keep it after its death`() {
        let log = Log<String>()
        do {
            let owner = Owner()
            owner.worker.perform { ThreadEndProbe.watch { log.add("ended") } }
            center.observe(.happened, with: owner, Owner.hear, on: .thread(owner.worker))
        }
        #expect(log.wait(for: 1) == ["ended"])
    }

    @Test func `A registration for one mode keeps its thread too`() {
        let log = Log<String>()
        let tokens = Log<ObservationToken>()
        do {
            let worker = DeliveryThread(name: "kept")
            let center = center
            worker.perform {
                ThreadEndProbe.watch { log.add("ended") }
                tokens.add(
                    center.observe(.happened, on: .runLoop(.current, modes: [.default])) { _ in
                        log.add("heard on \(threadName)")
                    })
            }
            // The test refers to the thread until the observation is registered.
            tokens.wait(for: 1)
            withExtendedLifetime(worker) {}
        }
        let token = tokens.wait(for: 1)[0]
        center.post(name: .happened, object: nil)
        center.post(name: .happened, object: nil)
        #expect(log.wait(for: 2) == ["heard on kept", "heard on kept"])
        token.cancel()
        #expect(log.wait(for: 3).last == "ended")
    }

    @Test func `A thread that nobody refers to delivers its mail, and ends`() {
        let log = Log<String>()
        do {
            let worker = DeliveryThread(name: "dropped")
            worker.perform { ThreadEndProbe.watch { log.add("ended") } }
            worker.perform { log.add("block") }
        }
        #expect(log.wait(for: 2) == ["block", "ended"])
    }

    @Test func `A thread that only asked for its own context ends with its handle`() {
        let log = Log<String>()
        do {
            let worker = DeliveryThread(name: "dropped")
            worker.perform {
                ThreadEndProbe.watch { log.add("ended") }
                Thread.attachCurrentForDelivery()
                _ = ThisThreadContext.thisThread
                log.add("attached")
            }
            _ = log.wait(for: 1)
        }
        #expect(log.wait(for: 2) == ["attached", "ended"])
    }

    // MARK: - Stopping it

    @Test func `A stop that comes while a timer's handler runs the loop ends the thread`() {
        let worker = DeliveryThread(name: "worker")
        let (inside, go) = (Gate(), Gate())
        worker.perform {
            let timer = Timer(timeInterval: 0, repeats: false) { _ in
                inside.open()
                // The inner run takes the signal to stop.
                while !go.isOpen { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
            }
            RunLoop.current.add(timer, forMode: .default)
        }
        inside.wait()
        worker.perform {}
        worker.stop()
        go.open()
        #expect(worker.join(timeout: patience))
    }

    @Test func `A limit that has passed long ago is no wait for the thread's end`() {
        let worker = DeliveryThread(name: "worker")
        worker.perform {}
        #expect(!worker.join(timeout: .seconds(-100_000_000_000)))
        worker.stop()
        #expect(worker.join(timeout: patience))
    }

    @Test func `A stop that comes while a queued notification's handler runs the loop ends it`() {
        let worker = DeliveryThread(name: "worker")
        let (inside, go) = (Gate(), Gate())
        let token = center.observe(.happened) { _ in
            inside.open()
            while !go.isOpen { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        worker.perform { [center] in
            Queue(notificationCenter: center).enqueue(
                Notification(name: .happened), postingStyle: .asap)
        }
        inside.wait()
        worker.stop()
        go.open()
        #expect(worker.join(timeout: patience))
        token.cancel()
    }

    @Test func `An observer that posts to its own thread for ever does not keep it`() {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.count) }
        let worker = DeliveryThread(name: "worker")
        let token = center.observe(Ping.self, on: .thread(worker)) { [center] ping in
            center.post(Ping(number: ping.number + 1))
        }
        center.post(Ping())
        worker.stop()
        #expect(worker.join(timeout: patience))
        // The problem is reported before the thread has ended.
        #expect(problems.entries == [1])
        token.cancel()
    }

    @Test func `Handlers that run the loop share the deliveries that an ending thread still makes`()
    {
        let (log, problems) = (Log<Int>(), Log<Int>())
        center.onProblem { problems.add($0.count) }
        let worker = DeliveryThread(name: "worker")
        let token = center.observe(Ping.self, on: .thread(worker)) { [center] ping in
            log.add(ping.number)
            center.post(Ping(number: ping.number + 1))
            if ping.number < 300 { _ = RunLoop.current.run(mode: .default, before: Date()) }
        }
        worker.perform { worker.stop() }
        center.post(Ping())
        #expect(worker.join(timeout: patience))
        // The first posts may be heard before the thread begins to leave.
        #expect(log.entries == Array(0..<log.entries.count))
        #expect(log.entries.count < 300)
        #expect(problems.entries == [1])
        token.cancel()
    }

    @Test(arguments: [Queue.PostingStyle.asap, .whenIdle])
    func `A notification that enqueues itself for ever does not keep the thread`(
        style: Queue.PostingStyle
    ) {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.count) }
        let (center, log) = (center, Log<String>())
        let token = center.observe(.happened) { _ in
            Queue(notificationCenter: center).enqueue(
                Notification(name: .happened), postingStyle: style)
        }
        let other = center.observe(.other) { _ in log.add("other") }
        let worker = stopped {
            let queue = Queue(notificationCenter: center)
            queue.enqueue(Notification(name: .happened), postingStyle: style)
            queue.enqueue(Notification(name: .other), postingStyle: .whenIdle)
        }
        #expect(worker.join(timeout: patience))
        #expect(log.entries == ["other"])
        #expect(problems.entries == [1])
        token.cancel()
        other.cancel()
    }

    @Test func `A port's delegate that sends to itself for ever does not keep the thread`() {
        let port = ThreadPort()
        let log = Log<UInt32>()
        let worker = stopped {
            let made = PortListener { message in
                log.add(message.msgid)
                try? port.send(id: message.msgid + 1)
            }
            port.setDelegate(made)
            ThreadEndProbe.watch { withExtendedLifetime(made) {} }
            RunLoop.current.add(port, forMode: .default)
            try? port.send(id: 0)
        }
        #expect(worker.join(timeout: patience))
        #expect(log.entries.first == 0)
        #expect(!port.isValid)
    }

    @Test(.rule(24)) func `A stopped thread delivers what waits for the default mode and in ports`()
    {
        let (log, center) = (Log<String>(), center)
        let port = ThreadPort()
        let loops = Log<SendableLoop>()
        let worker = DeliveryThread(name: "worker")
        let (inside, go) = (Gate(), Gate())
        worker.perform {
            loops.add(SendableLoop(loop: .current))
            let made = PortListener { log.add("message \($0.msgid)") }
            port.setDelegate(made)
            ThreadEndProbe.watch { withExtendedLifetime(made) {} }
            RunLoop.current.add(port, forMode: .default)
            inside.open()
            go.wait()
        }
        inside.wait()
        let loop = loops.entries[0].loop
        let tokens = [RunLoop.Mode.default, .common].map { mode in
            center.observe(Ping.self, on: .runLoop(loop, modes: [mode])) { ping in
                log.add("\(mode == .default ? "default" : "common") \(ping.number)")
            }
        }
        for number in 0..<3 {
            center.post(Ping(number: number))
            try? port.send(id: UInt32(number))
        }
        worker.stop()
        go.open()
        #expect(worker.join(timeout: patience))
        for kind in ["default", "common", "message"] {
            #expect(
                log.entries.filter { $0.hasPrefix(kind) } == (0..<3).map { "\(kind) \($0)" })
        }
        for token in tokens { token.cancel() }
    }

    @Test func `A stopped thread delivers what waits in a port that a waiting block adds`() {
        let port = ThreadPort()
        let log = Log<String>()
        let worker = DeliveryThread(name: "worker")
        let (inside, go) = (Gate(), Gate())
        worker.perform {
            inside.open()
            go.wait()
        }
        inside.wait()
        worker.perform {
            let made = PortListener { log.add("\($0.msgid)") }
            port.setDelegate(made)
            ThreadEndProbe.watch { withExtendedLifetime(made) {} }
            RunLoop.current.add(port, forMode: .default)
        }
        for number in 1...3 { try? port.send(id: UInt32(number)) }
        worker.stop()
        go.open()
        #expect(worker.join(timeout: patience))
        #expect(log.entries == ["1", "2", "3"])
    }

    @Test(.rule(29)) func `Mail for modes in which the thread does not run is reported`() {
        let problems = Log<String>()
        center.onProblem { problems.add($0.description) }
        let (loops, center) = (Log<SendableLoop>(), center)
        let worker = DeliveryThread(name: "worker")
        worker.perform { loops.add(SendableLoop(loop: .current)) }
        let loop = loops.wait(for: 1)[0].loop
        let token = center.observe(
            Ping.self, on: .runLoop(loop, modes: [RunLoop.Mode("custom")])
        ) { _ in }
        center.post(Ping())
        worker.stop()
        #expect(worker.join(timeout: patience))
        #expect(
            problems.entries == [
                "thread worker in custom ended with 1 delivery waiting, which will not be made"
            ])
        token.cancel()
    }

    @Test func `An ending thread hears a post that is made after it released a capture`() {
        let (center, log, problems) = (center, Log<Int>(), Log<Int>())
        center.onProblem { problems.add($0.count) }
        let worker = DeliveryThread(name: "worker")
        let token = center.observe(Ping.self, on: .thread(worker)) { log.add($0.number) }
        worker.perform {
            let captured = NSObject()
            let own = center.observe(.other, on: .thisThread) { _ in
                withExtendedLifetime(captured) {}
            }
            // This block runs when the thread has begun to leave.
            worker.perform {
                onThread { own.cancel() }
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
                onThread { center.post(Ping(number: 1)) }
            }
            worker.stop()
        }
        #expect(worker.join(timeout: patience))
        #expect(log.entries == [1])
        #expect(problems.entries.isEmpty)
        token.cancel()
    }

    @Test func `A hook that registers on the thread that ends finds a context of its own`() {
        let (center, log) = (center, Log<String>())
        let worker = DeliveryThread(name: "worker")
        let tokens = Log<ObservationToken>()
        center.onProblem { _ in
            tokens.add(center.observe(.happened, on: .thisThread) { _ in })
            log.add(threadName)
        }
        worker.perform {
            tokens.add(center.observe(.happened, on: .thisThread) { _ in })
            tokens.add(
                center.observe(
                    Ping.self, on: .runLoop(.current, modes: [RunLoop.Mode("custom")])
                ) { _ in })
        }
        _ = tokens.wait(for: 2)
        center.post(Ping())
        worker.stop()
        #expect(worker.join(timeout: patience))
        #expect(log.entries == ["worker"])
        for token in tokens.entries { token.cancel() }
    }

    @Test func `Posts by handlers of an ending thread are heard as well`() {
        let (log, center) = (Log<Int>(), center)
        let worker = DeliveryThread(name: "worker")
        let token = center.observe(Ping.self, on: .thread(worker)) { ping in
            log.add(ping.number)
            if ping.number < 10 { center.post(Ping(number: ping.number + 1)) }
        }
        center.post(Ping())
        worker.stop()
        #expect(worker.join(timeout: patience))
        #expect(log.entries == Array(0...10))
        token.cancel()
    }

    // MARK: - Other ends

    @Test func `Thread.exit() in a handler ends the thread, which reports its remaining mail`() {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.count) }
        let (worker, log) = (DeliveryThread(name: "worker"), Log<String>())
        let (inside, go) = (Gate(), Gate())
        let token = center.observe(Ping.self, on: .thread(worker)) { _ in
            inside.open()
            go.wait()
            Thread.exit()
        }
        for _ in 0..<3 { center.post(Ping()) }
        inside.wait()
        #expect(worker.perform { log.add("never") })
        go.open()
        #expect(worker.join(timeout: patience))
        #expect(problems.entries == [2])
        #expect(!worker.perform { log.add("never") })
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        // The handler left no claim behind.
        #expect(token.cancelAndWait())
        #expect(log.entries.isEmpty)
    }

    @Test(
        .rule(12),
        .disabled(
            if: isThreadSanitized,
            "ThreadSanitizer forgets a thread whose end ends again while its end goes on"))
    func `All mailboxes of a thread end although the report of one ends it again`() {
        let (center, problems, tokens) = (center, Log<Int>(), Log<ObservationToken>())
        center.onProblem {
            problems.add($0.count)
            Thread.exit()
        }
        let thread = Thread {
            for mode in [RunLoop.Mode("one"), RunLoop.Mode("two")] {
                let context = DeliveryContext.runLoop(.current, modes: [mode])
                tokens.add(center.observe(Ping.self, on: context, options: .queued) { _ in })
            }
            center.post(Ping())
        }
        thread.start()
        #expect(problems.wait(for: 2) == [1, 1])
        center.onProblem { _ in }
        #expect(center.postAndReport(Ping()).undeliverable == 2)
        for token in tokens.entries { token.cancel() }
    }

    @Test func `A thread does not wait for itself`() {
        let (worker, log) = (DeliveryThread(name: "worker"), Log<Bool>())
        worker.perform { log.add(worker.join()) }
        #expect(log.wait(for: 1) == [false])
        worker.stop()
        #expect(worker.join(timeout: patience))
    }

    @Test func `A task waits for the end of a thread`() async {
        let (worker, go) = (DeliveryThread(name: "worker"), Gate())
        worker.perform { go.wait() }
        worker.stop()
        for limit in [.zero, Duration.seconds(-1e20)] {
            #expect(await worker.waitUntilEnded(within: limit) == false)
            onThread { #expect(!worker.join(timeout: limit)) }
        }
        async let hasEnded = worker.waitUntilEnded()
        async let hasEndedInTime = worker.waitUntilEnded(within: .seconds(Int64.max))
        go.open()
        #expect(await hasEnded)
        #expect(await hasEndedInTime)
        #expect(await worker.waitUntilEnded(within: .seconds(-1e20)))
    }

    @Test func `A task that is cancelled does not wait for the end of a thread`() async {
        let (worker, go) = (DeliveryThread(name: "worker"), Gate())
        worker.perform { go.wait() }
        for limit in [nil, patience] {
            let task = Task { await worker.waitUntilEnded(within: limit) }
            task.cancel()
            #expect(await task.value == false)
        }
        go.open()
        worker.stop()
        #expect(await worker.waitUntilEnded())
    }

    @Test func `A thread that got the memory of an ended thread can wait for the ended one`() {
        for _ in 0..<20 {
            let worker = DeliveryThread(name: "worker")
            worker.stop()
            #expect(worker.join(timeout: patience))
            let log = Log<Bool>()
            onThread { log.add(worker.join(timeout: .zero)) }
            #expect(log.entries == [true])
        }
    }

    @Test(.rule(12)) func `A post that waits learns that the handler has ended its thread`() {
        let worker = DeliveryThread(name: "leaver")
        let center = Switchyard.NotificationCenter()
        let token = center.observe(Ping.self, on: .thread(worker)) { _ in Thread.exit() }
        do throws(PostWaitError) {
            _ = try center.postAndWait(Ping(), timeout: patience)
            Issue.record("it returned")
        } catch {
            #expect(error.code == .targetEnded)
            #expect(error.description.hasPrefix("thread leaver ended"))
            #expect(error.receipt.description == "1 undeliverable")
        }
        token.cancel()
    }

    // ThreadSanitizer may be the first that gets no memory.
    @Test(.enabled(if: !isThreadSanitized))
    func `A thread that the system can't start stops the program, with a message`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
            #if canImport(Darwin)
            setrlimit(RLIMIT_AS, &limit)
            #else
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            #endif
            // Sixteen such stacks are more than the limit.
            var threads: [DeliveryThread] = []
            for _ in 0..<16 { threads.append(DeliveryThread(name: "huge", stackSize: 256 << 20)) }
            withExtendedLifetime(threads) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("DeliveryThread \"huge\": the system can't start a thread"))
    }

    @Test func `A stack of a negative size stops the program, with a message`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = DeliveryThread(name: "small", stackSize: -1)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("DeliveryThread \"small\": a stack can't have -1 bytes"))
    }

    @Test func `Inside a dispatch queue's sync, a thread with a run loop of its own is still one`()
    {
        let center = Switchyard.NotificationCenter()
        let (log, problems, tokens) = (Log<String>(), Log<String>(), Log<ObservationToken>())
        center.onProblem { problems.add("\($0)") }
        let worker = DeliveryThread(name: "worker")
        worker.perform {
            DispatchQueue(label: "other").sync {
                tokens.add(center.observe(.happened, on: .thisThread) { _ in log.add("here") })
                NotificationQueue(notificationCenter: center)
                    .enqueue(Notification(name: .happened), postingStyle: .asap)
            }
        }
        #expect(log.wait(for: 1) == ["here"])
        #expect(problems.entries.isEmpty)
        worker.stop()
        worker.join()
    }

    #if !canImport(Darwin)
    @Test func `A thread without descriptors for its run loop stops the program, with a message`()
        async
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var threads: [DeliveryThread] = []
            for _ in 0..<64 { threads.append(DeliveryThread(name: "last")) }
            withExtendedLifetime(threads) {}
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("DeliveryThread \"last\": no file descriptors are left"))
    }
    #endif
}

/// A run loop on its way to another thread.
struct SendableLoop: @unchecked Sendable {
    // Sendable: only named there, as a context.
    let loop: RunLoop
}

/// A probe that reports the end of the thread on which it was set.
enum ThreadEndProbe {
    private final class Watch: EndsWithThread {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
        func threadEnds() { body() }
    }

    static func watch(_ body: @escaping () -> Void) {
        if ThreadEnd.kept(Watch.self) == nil { ThreadEnd.notify(Watch(body)) }
    }
}
