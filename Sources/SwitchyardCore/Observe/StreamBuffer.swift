// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The elements that a sequence keeps until its consumer asks for them: a state machine that
/// decides under its lock, and acts on the decision outside of it.
package final class StreamBuffer<Element>: @unchecked Sendable {
    // Sendable: everything is behind the lock. Elements are handed over, from one thread to one.

    /// One item for a consumer: an element, or a gap.
    package enum Item: @unchecked Sendable {
        // Sendable: handed over from the poster to one consumer.
        case element(Element)
        /// This many elements were lost at this point. The element behind the gap, if any, is an
        /// item of its own, so that it waits for the next call.
        case gap(Int)
    }

    private typealias Continuation = UnsafeContinuation<Item?, Never>

    /// An element that waits, and the number of elements lost right before it.
    private struct Waiting {
        let element: Element
        var lost: Int
    }

    private struct State {
        var waiting = FIFO<Waiting>()
        /// The number of deliveries lost after the last that waits.
        var lost = 0
        /// Consumers that wait for an element, in the order in which they came.
        var consumers: [(id: UInt64, continuation: Continuation)] = []
        var nextConsumer: UInt64 = 0
        var isFinished = false

        mutating func append(_ element: Element) {
            waiting.append(Waiting(element: element, lost: lost))
            lost = 0
        }

        mutating func dropFirst() -> Element? {
            guard let dropped = waiting.popFirst() else { return nil }
            if waiting.isEmpty {
                lost += dropped.lost + 1
            } else {
                waiting.changeFirst { $0.lost += dropped.lost + 1 }
            }
            return dropped.element
        }

        /// Takes the gap before the next element, or else that element, or else the gap behind the
        /// last one.
        mutating func take() -> Item? {
            if let gap = takeGap() { return .gap(gap) }
            return waiting.popFirst().map { .element($0.element) }
        }

        private mutating func takeGap() -> Int? {
            var gap = 0
            if waiting.isEmpty {
                swap(&gap, &lost)
            } else {
                waiting.changeFirst { swap(&gap, &$0.lost) }
            }
            return gap > 0 ? gap : nil
        }

        mutating func removeConsumer(_ id: UInt64) -> Continuation? {
            guard let index = consumers.firstIndex(where: { $0.id == id }) else { return nil }
            return consumers.remove(at: index).continuation
        }
    }

    private let buffering: StreamBuffering
    private let state: Guarded<Box>
    /// `State` without the compiler's worry about what elements refer to; see above.
    private struct Box: @unchecked Sendable { var state = State() }

    package init(_ buffering: StreamBuffering) {
        self.buffering = buffering
        state = Guarded(Box())
    }

    /// Whether it keeps all elements.
    package var isUnbounded: Bool {
        if case .unbounded = buffering { true } else { false }
    }

    /// The number of elements that wait for the consumer.
    package var count: Int { state.withLock { $0.state.waiting.count } }

    /// Hands `element` to a consumer that waits, or keeps it.
    ///
    /// - Returns: The loss that the element caused.
    @discardableResult
    package func append(_ element: Element) -> Loss {
        nonisolated(unsafe) let element = element  // Handed over; see above.
        // A dropped element is destroyed when the lock is free: its deinit may be the user's code.
        let (resume, lost) = state.withLock { box -> ((@Sendable () -> Void)?, Lost) in
            if box.state.isFinished { return (nil, .nothing) }
            let lost = keep(element, &box.state)
            if box.state.consumers.isEmpty { return (nil, lost) }
            let consumer = box.state.consumers.removeFirst().continuation
            let item = box.state.take()
            return ({ consumer.resume(returning: item) }, lost)
        }
        resume?()
        switch lost {
        case .nothing: return .nothing
        case .itself: return .itself
        case .older: return .older
        }
    }

    /// The loss, if any, that adding an element to a full buffer caused.
    package enum Loss {
        case nothing
        /// The element itself.
        case itself
        /// An element that waited.
        case older
    }

    /// The element, if any, that the buffering dropped to make room.
    private enum Lost: @unchecked Sendable {
        // Sendable: destroyed by the thread that dropped it.
        case nothing
        case itself
        case older(Element?)
    }

    /// Adds `element`.
    ///
    /// - Returns: The element that was dropped for it.
    private func keep(_ element: Element, _ state: inout State) -> Lost {
        switch buffering {
        case .dropOldest(let most) where state.waiting.count >= max(most, 1):
            let dropped = state.dropFirst()
            state.append(element)
            return .older(dropped)
        case .dropNewest(let most) where state.waiting.count >= max(most, 1):
            state.lost += 1
            return .itself
        default:
            state.append(element)
            return .nothing
        }
    }

    /// The next element, past any gaps; nil when the sequence is finished or the task is cancelled.
    package func nextElement(isolation: isolated (any Actor)? = #isolation) async -> Element? {
        while let item = await next(isolation: isolation) {
            if case .element(let element) = item { return element }
        }
        return nil
    }

    /// The next item, in the order of posting; nil when the sequence is finished or the task is
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
                    if Task.isCancelled { return { continuation.resume(returning: nil) } }
                    if let item = box.state.take() {
                        return { continuation.resume(returning: item) }
                    }
                    if box.state.isFinished { return { continuation.resume(returning: nil) } }
                    box.state.consumers.append((id, continuation))
                    return nil
                }
                resume?()
            }
        } onCancel: {
            state.withLock { $0.state.removeConsumer(id) }?.resume(returning: nil)
        }
    }

    /// Ends the sequence: waiting elements are still handed out, then nil.
    package func finish() {
        let consumers = state.withLock { box in
            box.state.isFinished = true
            defer { box.state.consumers = [] }
            return box.state.consumers.map { $0.continuation }
        }
        for consumer in consumers { consumer.resume(returning: nil) }
    }
}
