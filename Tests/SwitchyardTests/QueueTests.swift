// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

/// Apple's `queue:`: the block runs on the queue, and the post waits for it.
@Suite("Blocks on operation queues") struct QueueTests {
    let center = Switchyard.NotificationCenter()

    private func serialQueue(_ name: String) -> OperationQueue {
        let queue = OperationQueue()
        queue.name = name
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    @Test(.rule(12)) func `A block runs on its queue, and the post waits for it`() {
        let log = Log<String>()
        let queue = serialQueue("q")
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            log.add("block \(OperationQueue.current === queue)")
        }
        log.add("before")
        center.post(name: .happened, object: nil)
        log.add("after")
        #expect(log.entries == ["before", "block true", "after"])
    }

    @Test(.rule(12)) func `The post waits for its own block alone, whatever else is queued`() {
        let log = Log<String>()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        let (entered, leave) = (Gate(), Gate())
        queue.addOperation {
            entered.open()
            leave.wait()
        }
        entered.wait()
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            log.add("block")
        }
        // Foundation's post would wait for the other operation too.
        center.post(name: .happened, object: nil)
        #expect(log.entries == ["block"])
        leave.open()
    }

    @Test(.rule(12)) func `A post from the queue itself is inline`() {
        let log = Log<String>()
        let queue = serialQueue("q")
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            log.add("block")
        }
        let done = Gate()
        queue.addOperation { [center] in
            center.post(name: .happened, object: nil)
            log.add("after")
            done.open()
        }
        #expect(done.wait())
        #expect(log.entries == ["block", "after"])
    }

    @Test(.rule(12))
    func `A suspended queue is reported and not waited for, and runs the block later`() {
        let log = Log<String>()
        let problems = Log<String>()
        center.onProblem { problems.add($0.kind.description) }
        let queue = serialQueue("q")
        queue.isSuspended = true
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            log.add("block")
        }
        #expect(center.postAndReport(name: .happened, object: nil).queued == 1)
        #expect(problems.entries == ["wouldNotReturn"])
        #expect(log.entries == [])
        queue.isSuspended = false
        #expect(log.wait(for: 1) == ["block"])
    }

    @Test(.rule(12)) func `A cycle of two queues is reported and not waited for`() {
        let log = Log<String>()
        let problems = Log<String>()
        center.onProblem { problems.add($0.kind.description) }
        let (one, two) = (serialQueue("one"), serialQueue("two"))
        _ = center.addObserver(forName: .happened, object: nil, queue: two) { [center] _ in
            log.add("two")
            center.post(name: .other, object: nil)
            log.add("two ends")
        }
        _ = center.addObserver(forName: .other, object: nil, queue: one) { _ in log.add("one") }
        let done = Gate()
        one.addOperation { [center] in
            center.post(name: .happened, object: nil)
            done.open()
        }
        #expect(done.wait())
        #expect(log.wait(for: 3) == ["two", "two ends", "one"])
        #expect(problems.entries == ["wouldNotReturn"])
    }

    @Test(.rule(12)) func `A cycle of three queues is reported and not waited for`() {
        let log = Log<String>()
        let problems = Log<String>()
        center.onProblem { problems.add($0.kind.description) }
        let queues = ["one", "two", "three"].map { serialQueue($0) }
        let names = (0..<3).map { Notification.Name("\($0)") }
        for index in 0..<3 {
            _ = center.addObserver(forName: names[index], object: nil, queue: queues[index]) {
                [center] _ in
                log.add("block \(index)")
                if log.entries.count < 4 { center.post(name: names[(index + 1) % 3], object: nil) }
            }
        }
        onThread { [center] in center.post(name: names[0], object: nil) }
        #expect(log.wait(for: 4) == ["block 0", "block 1", "block 2", "block 0"])
        #expect(problems.entries == ["wouldNotReturn"])
    }

    @Test(.rule(12)) func `Two queues of width two that fill each other are reported`() {
        let problems = Log<String>()
        center.onProblem { problems.add($0.kind.description) }
        let queues = [serialQueue("one"), serialQueue("two")]
        for queue in queues { queue.maxConcurrentOperationCount = 2 }
        let both = Log<Void>()
        _ = center.addObserver(forName: .happened, object: nil, queue: queues[1]) { [center] _ in
            both.add(())
            // Posts that wait take all four places.
            both.wait(for: 2)
            center.post(name: .other, object: nil)
        }
        _ = center.addObserver(forName: .other, object: nil, queue: queues[0]) { _ in }
        let done = Log<Void>()
        for _ in 0..<2 {
            queues[0].addOperation { [center] in
                center.post(name: .happened, object: nil)
                done.add(())
            }
        }
        #expect(done.wait(for: 2).count == 2)
        #expect(!problems.entries.isEmpty)
    }

    @Test(.rule(12)) func `A queue of width none counts as suspended`() {
        let problems = Log<String>()
        center.onProblem { problems.add($0.kind.description) }
        let queue = serialQueue("none")
        queue.maxConcurrentOperationCount = 0
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in }
        center.post(name: .happened, object: nil)
        #expect(problems.entries == ["wouldNotReturn"])
    }

    @Test(.rule(12)) func `A post from the dispatch queue under the operation queue is reported`() {
        let problems = Log<String>()
        center.onProblem { problems.add($0.kind.description) }
        let under = DispatchQueue(label: "under")
        let queue = OperationQueue()
        queue.underlyingQueue = under
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in }
        let done = Gate()
        under.async { [center] in
            center.post(name: .happened, object: nil)
            done.open()
        }
        #expect(done.wait())
        #expect(problems.entries == ["wouldNotReturn"])
    }

    @Test(.rule(15)) func `Removal releases captures, also while the block waits on its queue`() {
        final class Probe: Sendable {
            let gone: Log<Void>
            init(_ gone: Log<Void>) { self.gone = gone }
            deinit { gone.add(()) }
        }
        center.onProblem { _ in }
        let gone = Log<Void>()
        let queue = serialQueue("q")
        queue.isSuspended = true
        let token = {
            let probe = Probe(gone)
            return center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
                _ = probe
            }
        }()
        center.post(name: .happened, object: nil)
        center.removeObserver(token)
        #expect(gone.entries.count == 1)
        queue.isSuspended = false
    }

    @Test(.rule(12), .timeLimit(.minutes(4)))
    func `A wait ends when the block that it waits for is removed before its turn`() async throws {
        let queue = serialQueue("q")
        queue.isSuspended = true
        let token = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            Issue.record("a removed block has run")
        }
        let waiting = Task { [center] in
            try await center.postAndWait(name: .happened, object: nil)
        }
        await until { queue.operationCount == 1 }
        center.removeObserver(token)
        #expect(try await waiting.value.delivered == 0)
        queue.isSuspended = false
    }

    @Test(.rule(13)) func `A block that waits on its queue does not run after removal`() {
        let log = Log<String>()
        let queue = serialQueue("q")
        let (entered, leave) = (Gate(), Gate())
        queue.addOperation {
            entered.open()
            leave.wait()
        }
        entered.wait()
        let token = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            log.add("block")
        }
        let (posting, posted) = (Gate(), Gate())
        let thread = Thread { [center] in
            posting.open()
            center.post(name: .happened, object: nil)
            posted.open()
        }
        thread.start()
        posting.wait()
        while queue.operationCount < 2 {}
        center.removeObserver(token)
        leave.open()
        #expect(posted.wait())
        #expect(log.entries == [])
    }

    @Test(.rule(12)) func `A post does not wait for a block whose observer was removed`() {
        let queue = serialQueue("q")
        let (entered, leave) = (Gate(), Gate())
        queue.addOperation {
            entered.open()
            leave.wait()
        }
        entered.wait()
        let token = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in }
        let posted = Gate()
        let thread = Thread { [center] in
            center.post(name: .happened, object: nil)
            posted.open()
        }
        thread.start()
        while queue.operationCount < 2 {}
        center.removeObserver(token)
        // The queue is still busy.
        #expect(posted.wait())
        leave.open()
    }

    @Test func `The registration keeps its queue alive`() {
        let log = Log<String>()
        do {
            let queue = serialQueue("q")
            _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
                log.add("block")
            }
        }
        center.post(name: .happened, object: nil)
        #expect(log.entries == ["block"])
    }

    @Test(.rule(12)) func `A post returns although its block is cancelled on the queue`() {
        let (center, queue) = (center, serialQueue("q"))
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in }
        let ended = Gate()
        let canceller = Thread { while !ended.isOpen { queue.cancelAllOperations() } }
        canceller.start()
        let count = Log<Int>()
        onThread {
            for _ in 0..<1_000 { center.post(name: .happened, object: nil) }
            count.add(1_000)
        }
        ended.open()
        #expect(count.entries == [1_000])
    }

    @Test(.rule(12)) func `A post that waits with a time limit hears that its block was cancelled`()
        throws
    {
        let (center, queue) = (center, serialQueue("q"))
        // A suspended queue keeps the operations that were cancelled.
        queue.isSuspended = true
        let log = Log<String>()
        _ = center.addObserver(forName: .happened, object: nil, queue: queue) { _ in
            log.add("block")
        }
        let canceller = Thread {
            while queue.operationCount == 0 {}
            queue.cancelAllOperations()
        }
        canceller.start()
        let errors = Log<PostWaitError>()
        onThread {
            do throws(PostWaitError) {
                try center.postAndWait(name: .happened, object: nil, timeout: .seconds(240))
            } catch {
                errors.add(error)
            }
        }
        let error = try #require(errors.entries.first)
        #expect(error.code == .targetEnded)
        #expect(error.description.contains("a cancelled block on operation queue q"))
        #expect(error.receipt.undeliverable == 1)
        #expect(error.receipt.queued == 0)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == [])
    }
}
