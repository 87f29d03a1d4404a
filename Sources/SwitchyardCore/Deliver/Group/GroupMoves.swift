// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Work for deliveries that move from members of a group to others, done in order, by one task at a
/// time.
final class GroupMoves: Sendable {
    private struct State: Sendable {
        var moves = FIFO<Move>()
        /// Whether a task makes the moves and reports.
        var isMoving = false
        /// The number of deliveries that no member is left for, and the center to tell.
        var lost: (owner: ObservationOwner, count: Int)?
    }

    /// A move of one delivery. If no member is left for it, and nobody waits for it, the move returns
    /// the center that is to be told.
    typealias Move = @Sendable () -> ObservationOwner?

    private let state = Guarded(State())
    private let group: String

    init(of group: String) { self.group = group }

    /// Has `move` made behind the earlier ones: in a task, because the caller may be a thread that
    /// cancels an observation under a lock of the user's.
    func add(_ move: @escaping Move) {
        let begins = state.withLock { state in
            state.moves.append(move)
            defer { state.isMoving = true }
            return !state.isMoving
        }
        if begins { Task.detached { [self] in makeAll() } }
    }

    /// Whether moves are to be made, or lost deliveries to be reported.
    var isMoving: Bool { state.withLock(\.isMoving) }

    private func makeAll() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let step = next() {
            switch step {
            case .move(let move): if let owner = move() { noteLost(owner) }
            case .report(let owner, let count):
                owner.report(.noMember(group: group, count: count))
            }
        }
    }

    private func noteLost(_ owner: ObservationOwner) {
        state.withLock { $0.lost = (owner, ($0.lost?.count ?? 0) + 1) }
    }

    private enum Step {
        case move(Move)
        /// All deliveries that were lost in a row are one problem.
        case report(ObservationOwner, count: Int)
    }

    /// Takes the next step; nil, with the moves over, if there is none.
    private func next() -> Step? {
        state.withLock { state in
            if let move = state.moves.popFirst() { return .move(move) }
            if let lost = state.lost.take() { return .report(lost.owner, count: lost.count) }
            state.isMoving = false
            return nil
        }
    }
}

extension GroupMoves: EndsWithThread {
    /// A handler has ended the thread that was delivering to it: another goes on.
    func threadEnds() { Task.detached { [self] in makeAll() } }
}
