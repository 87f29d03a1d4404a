// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import Switchyard

@Suite("Notification queues: threads", .timeLimit(.minutes(5)))
struct NotificationQueueThreadTests {
    let fixture = QueueFixture()

    /// A queue of a thread that has ended when the function returns.
    private func queueOfEndedThread(_ body: @escaping @Sendable (Queue) -> Void = { _ in }) -> Queue
    {
        let made = Log<Queue>()
        let thread = Thread { [fixture] in
            ThreadName.current = "brief"
            let queue = Queue(notificationCenter: fixture.center)
            body(queue)
            made.add(queue)
        }
        thread.start()
        made.wait(for: 1)
        while !thread.isFinished { sched_yield() }
        return made.entries[0]
    }

    // MARK: - Other threads

    @Test(.rule(27))
    func `An entry from another thread is posted on the owner's thread, also with style now`() {
        let center = Switchyard.NotificationCenter()
        let log = Log<String>()
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { note in
            log.add("\(note.name.rawValue) on \(threadName)")
        }
        onThread("owner") {
            let queue = Queue(notificationCenter: center)
            onThread("other") {
                queue.enqueue(note("idle"), postingStyle: .whenIdle)
                queue.enqueue(note("now"), postingStyle: .now)
                queue.enqueue(note("asap"), postingStyle: .asap)
                queue.enqueue(note("gone"), postingStyle: .asap)
                queue.dequeueNotifications(matching: note("gone"), coalesceMask: .onName)
            }
            #expect(log.entries == [])
            runLoop()
        }
        #expect(log.entries == ["now on owner", "asap on owner", "idle on owner"])
    }

    @Test(.rule(27)) func `An entry from another thread wakes a sleeping loop`() {
        let worker = DeliveryThread(name: "worker")
        let queues = Log<Queue>()
        worker.perform { [fixture] in queues.add(Queue(notificationCenter: fixture.center)) }
        let queue = queues.wait(for: 1)[0]
        for (number, style) in [Queue.PostingStyle.asap, .whenIdle, .now].enumerated() {
            queue.enqueue(note("n", number), postingStyle: style)
            // The thread sleeps again before the next entry.
            #expect(fixture.log.wait(for: number + 1).last == "n:\(number)")
        }
        worker.stop()
        worker.join()
    }

    @Test(.rule(27)) func `A queue without owners is destroyed, and its entries are still posted`()
    {
        final class Gone: Queue, @unchecked Sendable {
            let log: Log<String>
            init(_ fixture: QueueFixture) {
                log = fixture.log
                super.init(notificationCenter: fixture.center)
            }
            deinit { log.add("queue gone") }
        }
        onThread { [fixture] in
            do {
                let queue = Gone(fixture)
                queue.enqueue(note("a"), postingStyle: .asap)
                queue.enqueue(note("b"), postingStyle: .whenIdle)
            }
            runLoop()
        }
        #expect(fixture.log.entries == ["queue gone", "a", "b"])
    }

    @Test func `The center goes with its queue, or with the last post that waits`() {
        onThread {
            let log = Log<String>()
            weak var center: Switchyard.NotificationCenter?
            do {
                let made = Switchyard.NotificationCenter()
                center = made
                let token = made.addObserver(forName: nil, object: nil, queue: nil) { _ in
                    log.add("posted")
                }
                withExtendedLifetime(token) {}
                Queue(notificationCenter: made).enqueue(note("a"), postingStyle: .asap)
            }
            #expect(center != nil)
            runLoop()
            #expect(log.entries == ["posted"])
            #expect(center == nil)
        }
    }

    @Test(.rule(8)) func `A million entries from four threads come in order, and none is lost`() {
        let isSanitized = dlsym(nil, "__tsan_init") != nil
        let perThread = isSanitized ? 5_000 : 250_000
        let center = Switchyard.NotificationCenter()
        center.onProblem { _ in }
        onThread {
            let queue = Queue(notificationCenter: center)
            nonisolated(unsafe) var next = [Int](repeating: 0, count: 4)
            nonisolated(unsafe) var count = 0
            nonisolated(unsafe) var inOrder = true
            let token = center.observe(Notification.Name("n")) { note in
                let thread = note.userInfo?["thread"] as? Int ?? 0
                if note.userInfo?["number"] as? Int != next[thread] { inOrder = false }
                next[thread] += 1
                count += 1
            }
            for thread in 0..<4 {
                Thread.detachNewThread {
                    for number in 0..<perThread {
                        queue.enqueue(
                            Notification(
                                name: Notification.Name("n"), object: nil,
                                userInfo: ["thread": thread, "number": number]),
                            postingStyle: .asap, coalesceMask: [], forModes: nil)
                    }
                }
            }
            let limit = Date(timeIntervalSinceNow: 100)
            let keeper = Timer(fire: limit, interval: 0, repeats: false) { _ in }
            RunLoop.current.add(keeper, forMode: .default)
            while count < 4 * perThread, Date() < limit {
                _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
            }
            keeper.invalidate()
            #expect(count == 4 * perThread)
            #expect(inOrder)
            token.cancel()
        }
    }

    @Test(.rule(27))
    func `Threads that enqueue, coalesce and dequeue at once leave a queue in order`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            let done = Log<Void>()
            for thread in 0..<4 {
                Thread.detachNewThread {
                    for number in 0..<2_000 {
                        let mask = Queue.NotificationCoalescing(rawValue: UInt(number % 4))
                        queue.enqueue(
                            note("n\(number % 7)", number, of: "o\(number % 3)"),
                            postingStyle: number % 2 == 0 ? .asap : .whenIdle, coalesceMask: mask,
                            forModes: number % 5 == 0 ? [.special] : nil)
                        queue.dequeueNotifications(
                            matching: note("n\(thread)", of: "o1"), coalesceMask: 1 + number % 3)
                    }
                    done.add(())
                }
            }
            while done.entries.count < 4 { runLoop() }
            for name in 0..<7 {
                queue.dequeueNotifications(matching: note("n\(name)"), coalesceMask: .onName)
            }
            let before = fixture.log.entries.count
            runLoop()
            runLoop(.special)
            #expect(fixture.log.entries.count == before)
            queue.enqueue(note("last"), postingStyle: .asap)
            runLoop()
            #expect(fixture.log.entries.last == "last")
        }
    }

    // MARK: - The end of a thread

    @Test(.rule(29)) func `Entries that wait when a thread ends are reported, with their names`() {
        _ = queueOfEndedThread { queue in
            queue.enqueue(note("a"), postingStyle: .asap)
            queue.enqueue(note("b"), postingStyle: .whenIdle)
            queue.enqueue(note("a"), postingStyle: .asap, coalesceMask: [], forModes: [.special])
        }
        let problems = fixture.problems.wait(for: 1)
        #expect(problems.map(\.kind) == [.undeliverable])
        #expect(problems.map(\.count) == [3])
        #expect(
            problems.first?.description
                == "thread brief ended with 3 notifications, \"a\" (2), \"b\" waiting in its queues; "
                + "not posted")
        #expect(fixture.log.entries == [])
    }

    @Test(.rule(29)) func `Entries made after a thread's end are reported too`() {
        let queue = queueOfEndedThread()
        #expect(fixture.problems.entries.isEmpty)
        queue.enqueue(note("a"), postingStyle: .asap)
        queue.enqueue(note("b"), postingStyle: .now)
        queue.dequeueNotifications(matching: note("a"), coalesceMask: .onName)
        #expect(fixture.problems.entries.map(\.kind) == [.undeliverable, .undeliverable])
        #expect(
            fixture.problems.entries.map(\.description) == [
                "\"a\" was enqueued for thread brief, which has ended; not posted",
                "\"b\" was enqueued for thread brief, which has ended; not posted",
            ])
    }

    @Test(.rule(1)) func `Code that runs while the thread ends may ask for its loop`() {
        final class Hooks: @unchecked Sendable {
            // Sendable: used by the thread that ends alone.
            weak var hooks: RunLoopHooks?
        }
        let (hooks, alive) = (Hooks(), Log<Bool>())
        fixture.center.onProblem { _ in
            let isAlive = hooks.hooks != nil
            Queue(notificationCenter: .default).enqueue(note("late"), postingStyle: .now)
            alive.add(isAlive)
        }
        _ = queueOfEndedThread { queue in
            queue.enqueue(note("a"), postingStyle: .asap)
            hooks.hooks = ThreadPostQueue.current.state.withLock { $0.hooks }
        }
        #expect(alive.wait(for: 1) == [true])
    }

    @Test(.rule(29)) func `Waiting entries are released when the thread ends`() {
        final class Probe: NSObject, @unchecked Sendable {
            let gone: Log<String>
            init(_ gone: Log<String>) { self.gone = gone }
            deinit {
                gone.add("gone")
                // This entry is reported too, and leaves nothing behind.
                Queue.default.enqueue(note("from deinit"), postingStyle: .asap)
            }
        }
        let gone = Log<String>()
        let late = Log<String>()
        DefaultProblems.hear { problem in
            if problem.description.contains("from deinit") { late.add(problem.description) }
        } while: {
            _ = queueOfEndedThread { queue in
                ThreadName.current = "prober"
                queue.enqueue(note("a", of: Probe(gone)), postingStyle: .asap)
            }
            #expect(gone.wait(for: 1) == ["gone"])
            #expect(late.wait(for: 1).count == 1)
        }
    }

    @Test(.rule(21)) func `A subject that waits for its mode is released on its own thread`() {
        let (gone, center) = (Log<String>(), fixture.center)
        onThread("owner") {
            let queue = Queue(notificationCenter: center)
            let loop = RunLoop.current
            loop.perform(inModes: [.special]) {
                // The loop does not run in the default mode now.
                queue.enqueue(
                    Confined(), subject: Confined.Owner { gone.add(threadName) },
                    postingStyle: .now)
                let isRemoved = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    queue.enqueue(Confined(), postingStyle: .whenIdle, coalesceMask: .onName)
                    isRemoved.signal()
                }
                isRemoved.wait()
            }
            _ = loop.run(mode: .special, before: .distantPast)
        }
        #expect(gone.wait(for: 1) == ["owner"])
    }

    /// A message whose subject is not Sendable.
    private struct Confined: NotificationMessage {
        final class Owner {
            private let whenGone: () -> Void
            init(_ whenGone: @escaping () -> Void) { self.whenGone = whenGone }
            deinit { whenGone() }
        }

        typealias Subject = Owner
    }

    @Test func `The main thread's queue can be had from any thread, and is one`() {
        let queues = Log<Queue>()
        for _ in 1...2 { onThread { queues.add(.main) } }
        #expect(queues.entries[0] === queues.entries[1])
        #expect(queues.entries[0] !== Queue.default)
    }

    @Test func `A DeliveryThread that is stopped posts its entries for the default mode`() {
        let worker = DeliveryThread(name: "worker")
        worker.perform { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("idle"), postingStyle: .whenIdle)
            queue.enqueue(
                note("common"), postingStyle: .whenIdle, coalesceMask: .none, forModes: [.common])
            queue.enqueue(note("asap"), postingStyle: .asap)
            queue.enqueue(
                note("special"), postingStyle: .asap, coalesceMask: .none, forModes: [.special])
        }
        worker.stop()
        #expect(worker.join(timeout: .seconds(240)))
        #expect(fixture.log.entries.first == "asap")
        #expect(fixture.log.entries.sorted() == ["asap", "common", "idle"])
        let problems = fixture.problems.wait(for: 1)
        #expect(problems.map(\.description).allSatisfy { $0.contains("\"special\"") })
    }

    @Test func `The default queue goes with its thread`() {
        weak let weakQueue: Queue? = {
            let made = Log<Queue>()
            onThread { made.add(Queue.default) }
            return made.entries.first
        }()
        let limit = Date(timeIntervalSinceNow: 60)
        while weakQueue != nil, Date() < limit { sched_yield() }
        #expect(weakQueue == nil)
    }

    @Test(.rule(28)) func `A queue that grows is reported, at each doubling`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            for number in 0..<200_000 {
                queue.enqueue(
                    note("a", number), postingStyle: .asap, coalesceMask: [], forModes: nil)
            }
            #expect(fixture.problems.entries.map(\.kind) == [.highWater, .highWater])
            #expect(fixture.problems.entries.map(\.count) == [100_000, 200_000])
            queue.dequeueNotifications(matching: note("a"), coalesceMask: .onName)
            // A queue that was empty is reported again.
            for number in 1...100_000 {
                queue.enqueue(
                    note("a", number), postingStyle: .asap, coalesceMask: [], forModes: nil)
            }
            #expect(fixture.problems.entries.map(\.count) == [100_000, 200_000, 100_000])
            queue.dequeueNotifications(matching: note("a"), coalesceMask: .onName)
            queue.enqueue(note("b"), postingStyle: .asap)
            runLoop()
        }
        #expect(fixture.log.entries == ["b"])
    }

    @Test func `A dispatch thread has queues like any other`() {
        let done = Gate()
        DispatchQueue.global().async { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("now"), postingStyle: .now)
            queue.enqueue(note("asap"), postingStyle: .asap)
            runLoop()
            done.open()
        }
        done.wait()
        #expect(fixture.log.entries == ["now", "asap"])
    }

    @Test(arguments: [Queue.PostingStyle.asap, .whenIdle])
    func `An entry for a loop that nobody runs, made by a task or dispatch queue, is reported once`(
        style: Queue.PostingStyle
    ) {
        // The test makes a thread that no report has named before: Dispatch uses its own threads
        // again.
        onThread("borrowed") { [fixture] in
            DispatchQueue(label: "lender").sync {
                let queue = Queue(notificationCenter: fixture.center)
                queue.enqueue(note("now"), postingStyle: .now)
                #expect(fixture.problems.entries.isEmpty)
                for number in 1...3 {
                    queue.enqueue(note("late", number), postingStyle: style, coalesceMask: .none)
                }
                queue.enqueue(Ping(), postingStyle: style)
            }
            runLoop()
        }
        let problem = fixture.problems.entries.first
        #expect(fixture.problems.entries.map(\.kind) == [.loopDoesNotRun])
        #expect(problem?.description.hasPrefix("\"late\" was enqueued on thread borrowed") == true)
        #expect(fixture.log.entries == ["now", "late:1", "late:2", "late:3"])
    }

    @Test func `The first message that waits on a borrowed thread is reported as well`() {
        onThread { [fixture] in
            DispatchQueue(label: "lender").sync {
                Queue(notificationCenter: fixture.center).enqueue(Ping(), postingStyle: .whenIdle)
            }
            runLoop()
        }
        #expect(fixture.problems.entries.map(\.kind) == [.loopDoesNotRun])
    }

    @Test func `An entry made inside queue.sync by a handler on a running loop is not reported`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            RunLoop.current.perform {
                DispatchQueue(label: "lender").sync {
                    queue.enqueue(note("asap"), postingStyle: .asap)
                }
            }
            runLoop()
            runLoop()
        }
        #expect(fixture.problems.entries.isEmpty)
        #expect(fixture.log.entries == ["asap"])
    }

    @Test func `A loop of the program's own thread that does not run yet is not reported`() {
        onThread { [fixture] in
            let queue = Queue(notificationCenter: fixture.center)
            queue.enqueue(note("asap"), postingStyle: .asap)
            runLoop()
        }
        #expect(fixture.problems.entries.isEmpty)
        #expect(fixture.log.entries == ["asap"])
    }
}
