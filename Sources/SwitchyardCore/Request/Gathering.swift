// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The answers to one request, as they come.
final class Gathering<Reply: Sendable>: Sendable {
    /// The place of an answer among the others.
    struct Place: Sendable, Comparable {
        /// The priority and number of the registration.
        var priority = 0
        var sequence: UInt64 = 0

        static func < (one: Place, other: Place) -> Bool {
            one.priority == other.priority
                ? one.sequence < other.sequence : one.priority > other.priority
        }
    }

    private struct State: Sendable {
        /// The answers that count, in the order in which they came.
        var answers: [(place: Place, reply: Reply)] = []
        /// The first error that somebody threw in place of an answer.
        var error: (any Error)?
        var isOver = false
        var whenOver: Callback<Void>?
    }

    private let state = Guarded(State())
    /// Whether every answer is waited for, and not one alone.
    private let needsAll: Bool
    /// Whether an answer counts: the user's code.
    private let isWanted: @Sendable (Reply) -> Bool

    init(needsAll: Bool, _ isWanted: @escaping @Sendable (Reply) -> Bool) {
        self.needsAll = needsAll
        self.isWanted = isWanted
    }

    /// Whether no answer is taken any more.
    var isOver: Bool { state.withLock(\.isOver) }

    /// The answers that count, in the order of registration.
    var answers: [Reply] {
        state.withLock(\.answers).sorted { $0.place < $1.place }.map(\.reply)
    }

    /// The first error that somebody threw in place of an answer.
    var error: (any Error)? { state.withLock(\.error) }

    /// Takes an answer, unless the request is over.
    func add(_ reply: Reply, at place: Place) {
        guard !isOver, isWanted(reply) else { return }
        state.withLock { state in
            // One answer alone, if that is enough.
            if state.isOver || !needsAll && !state.answers.isEmpty { return }
            state.answers.append((place, reply))
        }
        if !needsAll { end() }
    }

    /// Takes note that somebody threw `error` in place of an answer.
    func fail(_ error: any Error) {
        state.withLock { state in
            if !state.isOver, state.error == nil { state.error = error }
        }
        if needsAll { end() }
    }

    /// Ends the request: from now on, nobody is asked, and no answer is taken.
    func end() {
        let whenOver = state.withLock { state in
            state.isOver = true
            return state.whenOver.take()
        }
        whenOver?.call(())
    }

    /// Calls `body` when the request is over, perhaps at once.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.whenOver = Callback { body() } }
            return state.isOver
        }
        if isOver { body() }
    }
}
