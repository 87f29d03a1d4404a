// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import Switchyard
internal import Synchronization

/// The surroundings of a situation: a center of its own, and the means to run code on threads and
/// to check the events. All waits have a time limit.
final class Stage: Sendable {
    /// The time that a situation may take, in seconds.
    static let patience = 5.0

    let center = NotificationCenter()
    let recorder = TourRecorder()
    private let deadline = DispatchTime.now() + patience
    private let threads = Mutex<[DeliveryThread]>([])

    /// Records the event `what` on the calling thread.
    func record(_ what: String) { recorder.record(what) }

    /// Starts a thread that delivers for this situation.
    func thread(_ name: String) -> DeliveryThread {
        let thread = DeliveryThread(name: name)
        threads.withLock { $0.append(thread) }
        return thread
    }

    /// Runs `body` on the main thread and waits for it.
    func onMain<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable () -> Value
    ) throws -> Value {
        let result = Mutex<Value?>(nil)
        let shared = Shared(result)
        try wait("main") { done in
            DispatchQueue.main.async {
                let value = MainActor.assumeIsolated(body)
                shared.value.withLock { $0 = value }
                done.signal()
            }
        }
        guard let value = shared.value.withLock({ $0 }) else {
            throw BrokenPromise(complaint: "main ran a block and left no result")
        }
        return value
    }

    /// Runs `body` on `queue` and waits for it.
    func on(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) throws {
        try wait(queue.label) { done in
            queue.async {
                body()
                done.signal()
            }
        }
    }

    /// Runs `body` on `thread` and waits for it.
    func on(_ thread: DeliveryThread, _ body: @escaping @Sendable () -> Void) throws {
        try wait(thread.name) { done in
            thread.perform {
                body()
                done.signal()
            }
        }
    }

    /// Waits until `semaphore` is signalled.
    func wait(for semaphore: DispatchSemaphore, _ what: String) throws {
        if semaphore.wait(timeout: deadline) == .timedOut {
            throw BrokenPromise(complaint: "\(what) did not come within \(Self.patience) s")
        }
    }

    private func wait(_ place: String, _ start: (DispatchSemaphore) -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        start(done)
        try wait(for: done, "a block's end on \(place)")
    }
}

/// A box that lets closures share a value that can't be copied.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value

    init(_ value: consuming Value) { self.value = value }
}

// MARK: - Expectations

extension Stage {
    /// Checks that exactly the `expected` events happened, in that order. Each is written
    /// `thread: what`.
    func expect(_ expected: [String]) throws {
        try waitFor(expected.count)
        try expect(recorder.events.map { "\($0.thread): \($0.what)" }, toBe: expected, "")
    }

    /// Checks that exactly the `expected` events happened on `thread`, in that order, once `total`
    /// events have come on all threads. For threads that do not wait for each other.
    func expect(on thread: String, _ expected: [String], ofTotal total: Int) throws {
        try waitFor(total)
        let found = recorder.events.filter { $0.thread == thread }.map(\.what)
        try expect(found, toBe: expected, "on \(thread), ")
    }

    /// Checks that a condition is true.
    func expect(_ condition: Bool, _ complaint: String) throws {
        if !condition { throw BrokenPromise(complaint: complaint) }
    }

    private func waitFor(_ count: Int) throws {
        if recorder.wait(forEvents: count, until: deadline) { return try settle() }
        let came = recorder.events.count
        throw BrokenPromise(
            complaint: "\(came) of \(count) events came within \(Self.patience) s")
    }

    /// Waits until unexpected events that are still on their way have come. Goes twice around every
    /// loop, because a loop takes waiting work in no fixed order.
    private func settle() throws {
        let threads = threads.withLock { $0 }
        for _ in 1...2 {
            for thread in threads { try on(thread) {} }
            try onMain {}
        }
    }

    private func expect(_ found: [String], toBe expected: [String], _ place: String) throws {
        if found == expected { return }
        let text = expected.joined(separator: ", ")
        throw BrokenPromise(complaint: "\(place)expected was: \(text)")
    }
}
