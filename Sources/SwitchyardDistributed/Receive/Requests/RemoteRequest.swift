// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// A request of another process, while it is asked here.
final class RemoteRequest: Sendable {
    private struct State: Sendable {
        /// The parts of the request that are under way, one for each type of its name.
        var parts: [IncomingRequest] = []
        /// The number of parts that are not over.
        var missing: Int
        var isEnded = false
        /// Whether the one who asks knows that no answer comes any more.
        var hasSaidLast = false
        var done: RequestFrame.Done
    }

    private let state: Guarded<State>
    /// Called once, when no answer can come any more. With nil, the one who asks knows.
    private let whenDone: @Sendable (RequestFrame.Done?) -> Void

    init(
        _ number: UInt64, parts: Int,
        whenDone: @escaping @Sendable (RequestFrame.Done?) -> Void
    ) {
        self.whenDone = whenDone
        state = Guarded(State(missing: parts, done: RequestFrame.Done(with: number)))
    }

    /// Adds a part that is under way, or over already.
    func add(_ part: IncomingRequest) {
        let isEnded = state.withLock { state in
            // A part holds the request: it is let go with the last.
            if !state.isEnded, state.missing > 0 { state.parts.append(part) }
            return state.isEnded
        }
        if isEnded { part.end() }
    }

    /// Takes note that a part is over.
    func isOver(_ end: IncomingRequest.End) {
        var parts: [IncomingRequest] = []
        let (isDone, done) = state.withLock { state -> (Bool, RequestFrame.Done?) in
            state.missing -= 1
            state.done.notAsked += end.notAsked
            state.done.ended += end.endedContexts
            if state.missing == 0 { swap(&parts, &state.parts) }
            return (state.missing == 0, state.hasSaidLast ? nil : state.done)
        }
        if isDone { whenDone(done) }
        // Let go without the lock: an error that a handler threw is the user's.
        withExtendedLifetime(parts) {}
    }

    /// Takes note that an answer is about to be sent that is enough.
    ///
    /// - Returns: Whether it is the first of those.
    func takeLast() -> Bool {
        state.withLock { state in
            defer { state.hasSaidLast = true }
            return !state.hasSaidLast
        }
    }

    /// Takes note of an answer, or an error in its place, that is about to be sent.
    func addAnswer() { state.withLock { $0.done.answers += 1 } }

    /// Takes note of an answer that could not be sent.
    func addNotSent() { state.withLock { $0.done.notAsked += 1 } }

    /// Takes back ``takeLast()``: the answer could not be sent.
    ///
    /// - Returns: The words that the request is done, if the last part was over meanwhile and has
    ///   left them out; nil otherwise.
    func takeBackLast() -> RequestFrame.Done? {
        state.withLock { state in
            state.hasSaidLast = false
            return state.missing == 0 ? state.done : nil
        }
    }

    /// Whether nobody is asked any more.
    var isEnded: Bool { state.withLock(\.isEnded) }

    /// Ends the request, and says nothing to the process that has asked.
    func abandon() {
        state.withLock { $0.hasSaidLast = true }
        end()
    }

    /// Ends the request: nobody is asked any more.
    func end() {
        let parts = state.withLock { state in
            state.isEnded = true
            defer { state.parts = [] }
            return state.parts
        }
        for part in parts { part.end() }
    }
}
