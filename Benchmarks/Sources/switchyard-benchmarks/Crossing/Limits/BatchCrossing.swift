// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import BenchmarkHarness
internal import CBenchmarks
internal import Foundation
internal import NIOCore
internal import Synchronization

/// A lock and a batch in front of the same waker that our mailbox has in that place.
struct BatchCrossing: CrossingSubject {
    let name = "lock + batch, the same waker"
    let role = Role.limit

    func sender(to place: CrossingQuestion.Place, _ receiver: Receiver) -> (any Sender)? {
        let batch = Batch(receiver)
        return switch place {
        case .runLoop: LoopBatch(batch)
        case .dispatchQueue: DispatchBatch(batch)
        case .operationQueue: OperationBatch(batch)
        case .actor: ActorBatch(batch)
        case .eventLoop: EventLoopBatch(batch)
        case .bareThread: ThreadBatch(batch)
        }
    }
}

private final class LoopBatch: Sender {
    private let batch: Batch
    private let thread = LoopThread()
    private let source: LoopSource

    init(_ batch: Batch) {
        self.batch = batch
        source = thread.source { batch.drain() }
    }

    func send(_ value: Int) { if batch.add(value) { source.signal() } }
    func stop() { thread.stop() }
}

private final class DispatchBatch: Sender {
    private let batch: Batch
    private let queue = DispatchQueue(label: "benchmark")

    init(_ batch: Batch) { self.batch = batch }

    func send(_ value: Int) {
        if batch.add(value) { queue.async { [batch] in batch.drain() } }
    }
    func stop() {}
}

private final class OperationBatch: Sender {
    private let batch: Batch
    private let queue = OperationQueue()

    init(_ batch: Batch) {
        self.batch = batch
        queue.maxConcurrentOperationCount = 1
    }

    func send(_ value: Int) {
        if batch.add(value) { queue.addOperation { [batch] in batch.drain() } }
    }
    func stop() {}
}

private final class ActorBatch: Sender {
    private actor Place {
        func drain(_ batch: Batch) { batch.drain() }
    }

    private let batch: Batch
    private let place = Place()

    init(_ batch: Batch) { self.batch = batch }

    func send(_ value: Int) {
        if batch.add(value) { Task.detached { [place, batch] in await place.drain(batch) } }
    }
    func stop() {}
}

private final class EventLoopBatch: Sender {
    private let batch: Batch
    private let loop = EventLoops.next()

    init(_ batch: Batch) { self.batch = batch }

    func send(_ value: Int) {
        if batch.add(value) { loop.execute { [batch] in batch.drain() } }
    }
    func stop() {}
}

private final class ThreadBatch: Sender {
    private let batch: Batch
    private let event = benchmarks_event_create()
    private let isStopping: Flag

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }

    init(_ batch: Batch) {
        self.batch = batch
        let isStopping = Flag()
        self.isStopping = isStopping
        Thread.detachNewThread { [event] in
            while !isStopping.value.load(ordering: .acquiring) {
                benchmarks_event_wait(event)
                batch.drain()
            }
            benchmarks_event_close(event)
        }
    }

    func send(_ value: Int) { if batch.add(value) { benchmarks_event_raise(event) } }

    func stop() {
        isStopping.value.store(true, ordering: .releasing)
        benchmarks_event_raise(event)
    }
}
