// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The answers to one request, as they come.
final class Gathering<Reply: Sendable>: Sendable {
    private struct State: Sendable {
        /// The answers that count, in the order in which they came.
        var answers: [(rank: AnswerRank, reply: Reply)] = []
        /// The first error that somebody threw in place of an answer.
        var error: (any Error)?
        var isOver = false
        var whenOver: Callback<Void>?
    }

    private let state = Guarded(State())
    let wanted: WantedAnswers
    /// Whether an answer counts: the user's code.
    private let isWanted: @Sendable (Reply) -> Bool
    /// The way of each answer to the process that asks; nil if this one does.
    private let relay: AnswerRelay<Reply>?

    init(_ wanted: WantedAnswers, _ isWanted: @escaping @Sendable (Reply) -> Bool) {
        self.wanted = wanted
        self.isWanted = isWanted
        relay = nil
    }

    /// Makes one whose answers go to another process.
    init(_ wanted: WantedAnswers, relay: @escaping AnswerRelay<Reply>) {
        self.wanted = wanted
        isWanted = { _ in true }
        self.relay = relay
    }

    /// Whether no answer is taken any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The answers that count, in the order of registration.
    var answers: [Reply] {
        state.withLock { $0.answers }.sorted { $0.rank < $1.rank }.map { $0.reply }
    }

    /// The first error that somebody threw in place of an answer.
    var error: (any Error)? { state.withLock { $0.error } }

    /// Takes an answer, unless the request is over.
    func add(_ reply: Reply, ranked rank: AnswerRank) {
        guard !isOver, isWanted(reply) else { return }
        if let relay {
            if relay(.success(reply), rank), wanted == .one { end() }
            return
        }
        state.withLock { state in
            // One answer alone, if that is enough.
            if state.isOver || wanted != .all && !state.answers.isEmpty { return }
            state.answers.append((rank, reply))
        }
        if wanted != .all { end() }
    }

    /// Takes note that somebody threw `error` in place of an answer.
    func fail(_ error: any Error, ranked rank: AnswerRank) {
        if let relay, !isOver { _ = relay(.failure(error), rank) }
        state.withLock { state in
            if !state.isOver, state.error == nil { state.error = error }
        }
        if wanted == .all { end() }
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
