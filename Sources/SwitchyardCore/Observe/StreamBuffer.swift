// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What a sequence keeps until its consumer asks for it: a state machine that decides under its
/// lock, and acts on the decision outside of it.
package final class StreamBuffer<Element>: @unchecked Sendable {
    // Sendable: everything is behind the lock. Elements are handed over, from one thread to one.

    /// How many elements wait at most.
    package enum Limit: Sendable {
        case unbounded
        case newest(Int)
        case oldest(Int)
    }

    /// What a consumer gets: an element, and how many were lost right before it.
    package struct Item: @unchecked Sendable {
        // Sendable: handed over from the poster to one consumer.
        package let element: Element
        package fileprivate(set) var lost: Int
    }

    private typealias Continuation = UnsafeContinuation<Item?, Never>

    private struct State {
        /// What waits, each with how many were lost right before it.
        var waiting: [Item] = []
        var head = 0
        /// How many were lost after the last that waits.
        var lost = 0
        var consumers: [UInt64: Continuation] = [:]
        var consumerOrder: [UInt64] = []
        var nextConsumer: UInt64 = 0
        var isFinished = false

        var count: Int { waiting.count - head }

        mutating func append(_ element: Element) {
            waiting.append(Item(element: element, lost: lost))
            lost = 0
        }

        mutating func popFirst() -> Item {
            defer {
                head += 1
                if head > 64, head * 2 > waiting.count {
                    waiting.removeFirst(head)
                    head = 0
                }
            }
            return waiting[head]
        }

        mutating func dropFirst() {
            let dropped = popFirst()
            if count > 0 {
                waiting[head].lost += dropped.lost + 1
            } else {
                lost += dropped.lost + 1
            }
        }

        mutating func popConsumer() -> Continuation? {
            while !consumerOrder.isEmpty {
                if let found = consumers.removeValue(forKey: consumerOrder.removeFirst()) {
                    return found
                }
            }
            return nil
        }
    }

    private let limit: Limit
    private let state: Guarded<Box>
    /// `State` without the compiler's worry about what elements refer to; see above.
    private struct Box: @unchecked Sendable { var state = State() }

    package init(_ limit: Limit) {
        self.limit = limit
        state = Guarded(Box())
    }

    /// Hands `element` to a consumer that waits, or keeps it.
    package func append(_ element: Element) {
        nonisolated(unsafe) let element = element  // Handed over; see above.
        let resume = state.withLock { box -> (@Sendable () -> Void)? in
            if box.state.isFinished { return nil }
            keep(element, &box.state)
            guard let consumer = box.state.popConsumer() else { return nil }
            let item = box.state.popFirst()
            return { consumer.resume(returning: item) }
        }
        resume?()
    }

    /// Puts `element` behind what waits, or drops what the limit says.
    private func keep(_ element: Element, _ state: inout State) {
        switch limit {
        case .newest(let most) where state.count >= max(most, 1):
            state.dropFirst()
        case .oldest(let most) where state.count >= max(most, 1):
            state.lost += 1
            return
        default:
            break
        }
        state.append(element)
    }

    /// The next element, in the order of posting; nil when the sequence is finished or the task is
    /// cancelled.
    package func next(isolation: isolated (any Actor)? = #isolation) async -> Item? {
        let id = state.withLock { box in
            box.state.nextConsumer += 1
            return box.state.nextConsumer
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: Continuation) in
                let resume = state.withLock { box -> (@Sendable () -> Void)? in
                    // Asked under the lock: a cancellation that comes later finds the consumer.
                    if Task.isCancelled || box.state.isFinished && box.state.count == 0 {
                        return { continuation.resume(returning: nil) }
                    }
                    if box.state.count > 0 {
                        let item = box.state.popFirst()
                        return { continuation.resume(returning: item) }
                    }
                    box.state.consumers[id] = continuation
                    box.state.consumerOrder.append(id)
                    return nil
                }
                resume?()
            }
        } onCancel: {
            state.withLock { $0.state.consumers.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }

    /// Ends the sequence: what waits is still handed out, then nil.
    package func finish() {
        let consumers = state.withLock { box in
            box.state.isFinished = true
            defer { box.state.consumers = [:] }
            return Array(box.state.consumers.values)
        }
        for consumer in consumers { consumer.resume(returning: nil) }
    }
}
