// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Work for deliveries that move from members of a group to others, done in order, by one task at a
/// time.
final class GroupMoves: Sendable {
    private struct State: Sendable {
        var moves = FIFO<@Sendable () -> Void>()
        /// Whether a task makes the moves.
        var isMoving = false
    }

    private let state = Guarded(State())

    /// Has `move` made behind the earlier ones: in a task, because the caller may be a thread that
    /// cancels an observation under a lock of the user's.
    func add(_ move: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.moves.append(move)
            defer { state.isMoving = true }
            return !state.isMoving
        }
        if begins { Task.detached { [self] in makeAll() } }
    }

    private func makeAll() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let move = next() { move() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let move = state.moves.popFirst()
            state.isMoving = move != nil
            return move
        }
    }
}

extension GroupMoves: EndsWithThread {
    /// A handler has ended the thread that was delivering to it: another goes on.
    func threadEnds() { Task.detached { [self] in makeAll() } }
}
