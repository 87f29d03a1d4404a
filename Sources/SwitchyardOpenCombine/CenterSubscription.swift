// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if OpenCombine
internal import OpenCombine
internal import SwitchyardCore

/// A subscriber's observation of a center: passes on as many values as the subscriber asked for,
/// one at a time.
///
/// No lock is held while the subscriber runs. The first thread that brings a value emits; what
/// other threads bring meanwhile is queued, and the emitting thread emits that too before it
/// returns.
final class CenterSubscription<Input: SendableMetatype>: Subscription, CustomStringConvertible,
    EndsWithThread, @unchecked Sendable
{
    typealias Downstream = AnySubscriber<Input, Never>

    // Sendable: `state` is locked. The subscriber and the values are the user's, and get from
    // thread to thread as Combine's do: one at a time.

    private struct State: @unchecked Sendable {
        // Sendable: as the subscription.

        /// The subscriber; nil once the subscription is cancelled.
        var downstream: Downstream?
        /// The observation of the center; nil once the subscription is cancelled.
        var token: ObservationToken?
        /// The center, which knows the subscription weakly; nil once the subscription is
        /// cancelled.
        var center: (any Sendable)?
        /// The number of values that the subscriber still takes.
        var demand = Subscribers.Demand.none
        /// The thread that emits now; nil if there is none.
        var emitter: ThreadIdentity?
        /// Values that other threads have brought since. The demand for them is already used.
        var queued = FIFO<Input>()
    }

    /// The state; all of it is guarded by this lock.
    private let state: Guarded<State>

    init<Subscriber: OpenCombine.Subscriber>(_ subscriber: Subscriber)
    where Subscriber.Input == Input, Subscriber.Failure == Never {
        state = Guarded(State(downstream: AnySubscriber(subscriber)))
    }

    deinit { cancel() }

    let description = "NotificationCenter Observer"

    /// Hands the subscription over to the subscriber, and begins to observe.
    ///
    /// - Parameters:
    ///   - center: the center, which the subscription keeps.
    ///   - replays: whether the observer hears the latest value first, so that the subscriber has
    ///     to ask for it before that.
    ///   - observe: registers the observer.
    func begin(
        with subscriber: some OpenCombine.Subscriber<Input, Never>, keeping center: any Sendable,
        replays: Bool, _ observe: () -> ObservationToken
    ) {
        if replays { subscriber.receive(subscription: self) }
        if isCancelled { return }
        let token = observe()
        let isCancelled = state.withLock { state in
            guard state.downstream != nil else { return true }
            state.token = token
            state.center = center
            return false
        }
        if isCancelled { return token.cancel() }
        if !replays { subscriber.receive(subscription: self) }
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
    }

    func cancel() {
        // Released here, without the lock: the subscriber and the values are the user's.
        let ended = state.withLock { state in
            defer {
                state.downstream = nil
                state.token = nil
                state.center = nil
                state.queued = FIFO()
            }
            return state
        }
        ended.token?.cancel()
    }

    // MARK: - Values of the center

    /// Emits `value` if there is demand for it.
    func receive(_ value: Input) {
        let thread = ThreadIdentity.current
        switch claim(Box(value), on: thread) {
        case .drop, .queue: return
        case .emit(let downstream):
            ThreadEnd.notify(self)
            defer { ThreadEnd.forget(self) }
            emit(value, to: downstream)
            emitQueued()
        case .emitInside(let downstream): emit(value, to: downstream)
        }
    }

    /// A value on its way through the lock.
    private struct Box: @unchecked Sendable {
        // Sendable: as the subscription.
        let value: Input
        init(_ value: Input) { self.value = value }
    }

    /// The next step for a value.
    private enum Step: @unchecked Sendable {
        // Sendable: as the subscription.

        /// The subscriber has no demand, or has gone.
        case drop
        /// The thread that is emitting emits it.
        case queue
        /// This thread becomes the emitting one.
        case emit(Downstream)
        /// This thread is the emitting one: the subscriber has posted.
        case emitInside(Downstream)
    }

    private func claim(_ value: Box, on thread: ThreadIdentity) -> Step {
        state.withLock { state in
            guard let downstream = state.downstream, state.demand > 0 else { return .drop }
            state.demand -= 1
            guard let emitter = state.emitter else {
                state.emitter = thread
                return .emit(downstream)
            }
            if emitter == thread { return .emitInside(downstream) }
            state.queued.append(value.value)
            return .queue
        }
    }

    /// Emits what other threads have brought, until nothing is left, and gives up the emitting.
    private func emitQueued() {
        while true {
            // One at a time, so that the others are left if the subscriber ends the thread.
            let next = state.withLock { state -> (Downstream, Box)? in
                guard let downstream = state.downstream, let value = state.queued.popFirst() else {
                    state.emitter = nil
                    return nil
                }
                return (downstream, Box(value))
            }
            guard let (downstream, box) = next else { return }
            emit(box.value, to: downstream)
        }
    }

    /// Told that the subscriber has ended the thread that was emitting: what other threads have
    /// brought is emitted at the thread's end.
    func threadEnds() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        emitQueued()
    }

    private var isCancelled: Bool { state.withLock { $0.downstream == nil } }

    private func emit(_ value: Input, to downstream: Downstream) {
        let more = downstream.receive(value)
        if more > 0 { request(more) }
    }
}
#endif
