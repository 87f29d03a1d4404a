// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

@Suite("Waiting across threads and queues") struct WaitingTests {
    private let center = Switchyard.NotificationCenter()

    @Test(.rule(12)) func `A named post waits for handlers on threads and queues`() throws {
        let worker = DeliveryThread(name: "worker")
        let queue = OperationQueue()
        let log = Log<String>()
        let tokens = [
            center.observe(.happened, on: .thread(worker)) { _ in log.add("thread") },
            center.observe(.happened, on: .operationQueue(queue)) { _ in log.add("operations") },
            center.observe(.happened, on: .dispatchQueue(DispatchQueue(label: "test"))) { _ in
                log.add("dispatch")
            },
            center.observe(.happened) { _ in log.add("here") },
        ]
        let receipt = try center.postAndWait(
            name: .happened, object: nil, timeout: .seconds(240))
        #expect(receipt.delivered == 4)
        #expect(log.entries.sorted() == ["dispatch", "here", "operations", "thread"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12)) func `A handler that gets no message does not count as delivered`() throws {
        struct Unmade: Switchyard.NotificationCenter.AsyncMessage {
            typealias Subject = Thread
            static let name = Notification.Name("unmade")
        }
        let worker = DeliveryThread(name: "worker")
        let problems = Log<DeliveryProblem.Kind>()
        center.onProblem { problems.add($0.kind) }
        let token = center.observe(Unmade.self, on: .thread(worker)) { _ in }
        let receipt = try center.postAndWait(
            name: Unmade.name, object: nil, timeout: .seconds(240))
        #expect(receipt.delivered == 0 && receipt.description == "nobody heard it")
        #expect(problems.entries == [.notConvertible])
        token.cancel()
    }

    @Test(.rule(12)) func `A wait is not held up by deliveries that have been made`() throws {
        let names = ["waiter", "quick", "slow"]
        let threads = names.map { DeliveryThread(name: $0) }
        let (center, log, heard, go) = (center, Log<String>(), Gate(), Gate())
        let tokens = [
            center.observe(.happened, on: .thread(threads[1])) { _ in heard.open() },
            center.observe(.happened, on: .thread(threads[2])) { _ in go.wait() },
            center.observe(.other, on: .thread(threads[0])) { _ in log.add("heard") },
            // This handler is called once the other post has been made, right before that post
            // waits.
            center.observe(.other) { _ in DispatchQueue.global().async { go.open() } },
        ]
        let wait: @Sendable (Notification.Name) -> Void = { name in
            do throws(PostWaitError) {
                try center.postAndWait(name: name, object: nil, timeout: .seconds(200))
            } catch {
                log.add("\(error)")
            }
        }
        threads[0].perform { wait(.happened) }
        heard.wait()
        threads[1].perform {
            wait(.other)
            log.add("waited")
        }
        #expect(log.wait(for: 2) == ["heard", "waited"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12))
    func `A thread that waits for a handler which waits for that thread is detected`() {
        let (first, second) = (DeliveryThread(name: "first"), DeliveryThread(name: "second"))
        let (center, errors, done) = (center, Log<PostWaitError>(), Gate())
        let wait: @Sendable (Notification.Name) -> Void = { name in
            do throws(PostWaitError) {
                try center.postAndWait(name: name, object: nil, timeout: .seconds(240))
            } catch {
                errors.add(error)
            }
        }
        let handled = Gate()
        let toFirst = center.observe(.other, on: .thread(first)) { _ in }
        let toSecond = center.observe(.happened, on: .thread(second)) { _ in
            wait(.other)
            handled.open()
        }
        // The block is no delivery: the thread itself waits.
        first.perform {
            wait(.happened)
            done.open()
        }
        #expect(done.wait())
        #expect(handled.wait())
        // The wait that begins last closes the cycle.
        #expect(errors.entries.map(\.code) == [.cycle])
        let text = errors.entries.first?.description ?? ""
        #expect(
            text.contains(
                "thread second would wait for thread first, which waits for thread second")
                || text.contains(
                    "thread first would wait for thread second, which waits for thread first"),
            "\(text)"
        )
        toFirst.cancel()
        toSecond.cancel()
    }

    @Test(.rule(12)) func `An operation of a serial queue runs the queue's own handlers inline`() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let (center, log, done) = (center, Log<String>(), Gate())
        let token = center.observe(.happened, on: .operationQueue(queue)) { _ in log.add("heard") }
        queue.addOperation {
            let receipt = try? center.postAndWait(
                name: .happened, object: nil, timeout: .seconds(240))
            log.add("delivered \(receipt?.delivered ?? -1)")
            done.open()
        }
        #expect(done.wait())
        #expect(log.entries == ["heard", "delivered 1"])
        token.cancel()
    }

    @Test(.rule(12)) func `A cycle through an operation queue is detected`() {
        let worker = DeliveryThread(name: "worker")
        let queue = OperationQueue()
        queue.name = "imports"
        queue.maxConcurrentOperationCount = 1
        let (center, codes, done) = (center, Log<PostWaitError.Code>(), Gate())
        let handled = Gate()
        let wait: @Sendable (Notification.Name) -> Void = { name in
            do throws(PostWaitError) {
                try center.postAndWait(name: name, object: nil, timeout: .seconds(240))
            } catch {
                codes.add(error.code)
            }
        }
        let onWorker = center.observe(.other, on: .thread(worker)) { _ in
            wait(.happened)
            handled.open()
        }
        let onQueue = center.observe(.happened, on: .operationQueue(queue)) { _ in }
        queue.addOperation {
            wait(.other)
            done.open()
        }
        #expect(done.wait())
        #expect(handled.wait())
        #expect(codes.entries == [.cycle])
        onWorker.cancel()
        onQueue.cancel()
    }

    @Test(.rule(14)) func `cancelAndWait from a thread that the handler waits for says so`() {
        let worker = DeliveryThread(name: "worker")
        let (center, results, inside) = (center, Log<String>(), Gate())
        let other = DeliveryThread(name: "other")
        let onOther = center.observe(.other, on: .thread(other)) { _ in results.add("other") }
        let cancelling = Gate()
        let token = center.observe(.happened, on: .thread(worker)) { _ in
            inside.open()
            cancelling.wait()
            do throws(PostWaitError) {
                try center.postAndWait(name: .other, object: nil, timeout: .seconds(240))
                results.add("posted")
            } catch {
                results.add("\(error.code)")
            }
        }
        center.post(name: .happened, object: nil)
        inside.wait()
        let done = Gate()
        center.onProblem { results.add("\($0.kind)") }
        other.perform {
            cancelling.open()
            // The cycle is found by the wait that begins last: this one, or that of the handler's
            // post.
            results.add(token.cancelAndWait() ? "waited" : "did not wait")
            done.open()
        }
        #expect(done.wait())
        worker.stop()
        worker.join()
        other.stop()
        other.join()
        #expect(
            Set(results.entries) == ["cycle", "waited", "other"]
                || Set(results.entries) == ["wouldNotReturn", "did not wait", "other", "posted"],
            "\(results.entries)")
        onOther.cancel()
    }

    @Test(.rule(9))
    func `Async handlers of names are called in order, methods with their observer`()
        async throws
    {
        final class Listener: Sendable {
            let log = Log<String>()
            func hear(_ notification: Notification) async {
                await Task.yield()
                log.add(notification.object as? String ?? "nothing")
            }
        }
        let (listener, log) = (Listener(), Log<String>())
        center.observe(.happened, with: listener, Listener.hear)
        let token = center.observe(.happened) { notification in
            await Task.yield()
            log.add(notification.object as? String ?? "nothing")
        }
        for number in 0..<50 { center.post(name: .happened, object: "\(number)") }
        try await center.postAndWait(Notification(name: .happened, object: "50"))
        #expect(log.entries == (0...50).map(String.init))
        #expect(listener.log.entries == log.entries)
        token.cancel()
    }

    @Test(.rule(9))
    func `AsyncMessage observers are in order and serial, unless they say concurrent`()
        async throws
    {
        let (log, both) = (Log<Int>(), Log<Int>())
        let token = center.addObserver(for: Numbered.self) { message in
            await Task.yield()
            log.add(message.number)
        }
        let concurrent = center.observe(Numbered.self, options: .concurrent) { message in
            both.add(message.number)
            while both.entries.count < 2 { await Task.yield() }
        }
        for number in 0..<100 { center.post(Numbered(number: number)) }
        try await center.postAndWait(Numbered(number: 100), timeout: .seconds(240))
        #expect(log.entries == Array(0...100))
        // Calls for earlier posts go on beside the call that the post waited for.
        let calls = await both.arrival(of: 101)
        #expect(calls.count == 101)
        withExtendedLifetime((token, concurrent)) {}
    }

    @Test(.rule(30)) func `The sequence messages counts what its buffer lost`() async {
        let sequence = center.messages(for: Numbered.self, bufferSize: 3)
        var iterator = sequence.makeAsyncIterator()
        for number in 0..<10 { center.post(Numbered(number: number)) }
        #expect(center.snapshot().entries.first?.lost == 7)
        #expect(await iterator.next(isolation: nil)?.number == 7)
    }

    @Test(.rule(28)) func `The bound of a thread is shared out among its observers`() {
        let worker = DeliveryThread(name: "worker", bound: .dropOldest(above: 10))
        let (log, go, done) = (Log<Int>(), Gate(), Gate())
        let token = center.observe(Numbered.self, on: .thread(worker)) { log.add($0.number) }
        let end = center.observe(.happened, on: .thread(worker)) { _ in done.open() }
        worker.perform { go.wait() }
        for number in 0..<100 { center.post(Numbered(number: number)) }
        center.post(name: .happened, object: nil)
        go.open()
        done.wait()
        #expect(log.entries == [95, 96, 97, 98, 99])
        token.cancel()
        end.cancel()
    }
}

private struct Numbered: Switchyard.NotificationCenter.AsyncMessage {
    typealias Subject = NSObject
    var number: Int
}
