// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardWeb

/// The newest picture, for all pages that are open.
final class LiveBoard: Sendable {
    private struct State {
        var newest = LivePicture()
        /// The time of the question that the process has not answered yet; nil if it owes no
        /// answer.
        var asked: ContinuousClock.Instant?
    }

    /// The time after which a process that owes an answer is said to be silent.
    static let patience = Duration.seconds(3)
    /// Guarded by its own lock.
    private let state = Guarded(State())

    /// The newest picture, with a word about whether the process answers.
    func picture(at now: ContinuousClock.Instant = .now) -> LivePicture {
        state.withLock { state in
            let isSilent = state.asked.map { now - $0 >= Self.patience } ?? false
            return state.newest.with(isSilent: isSilent)
        }
    }

    func show(_ picture: LivePicture) { state.withLock { $0.newest = picture } }

    /// Does something for which the process has to answer, which may never come back.
    func asking(
        at now: ContinuousClock.Instant = .now, _ body: () throws -> Void
    ) rethrows {
        state.withLock { $0.asked = now }
        defer { state.withLock { $0.asked = nil } }
        try body()
    }
}

/// The parts of the newest picture that one page does not have yet. Nothing is queued: a page that
/// is slow misses the pictures in between.
struct LiveUpdates: PageUpdates {
    private let board: LiveBoard
    /// The parts that the page has, by their keys; nil before the first update.
    private var known: [String: String]?
    /// The parts that had no room the last time, which come first the next time, those that wait
    /// longest before the others.
    private var late: [String] = []

    init(_ board: LiveBoard) { self.board = board }

    mutating func next(limit: Int) -> String? { next(board.picture(), limit: limit) }

    /// An object with the parts that are new (`set`), and the keys of those that are no longer
    /// there (`gone`). The first also says that nothing that the page had before is true
    /// (`isFirst`).
    ///
    /// - Parameter limit: the most bytes. Parts without room come the next time. A part that is
    ///   longer than the limit comes alone.
    mutating func next(_ picture: LivePicture, limit: Int) -> String? {
        if picture.parts.isEmpty { return nil }
        var old = known ?? [:]
        let current = Set(picture.parts.map(\.key))
        var size = 64
        var gone: [String] = []
        for key in old.keys.filter({ !current.contains($0) }).sorted()
        where size + key.utf8.count + 3 <= limit {
            size += key.utf8.count + 3
            gone.append("\"\(key)\"")
            old[key] = nil
        }
        var set: [String] = []
        var next: [String] = []
        for part in inTurn(picture.parts.filter { old[$0.key] != $0.json }) {
            let entry = "\"\(part.key)\":\(part.json)"
            guard size + entry.utf8.count + 1 <= limit || (set.isEmpty && gone.isEmpty) else {
                next.append(part.key)
                continue
            }
            size += entry.utf8.count + 1
            set.append(entry)
            old[part.key] = part.json
        }
        late = next
        defer { known = old }
        if known != nil, set.isEmpty, gone.isEmpty { return nil }
        return "{\"isFirst\":\(known == nil),\"set\":{\(set.joined(separator: ","))},"
            + "\"gone\":[\(gone.joined(separator: ","))]}"
    }

    /// Parts in the order in which they are sent.
    private func inTurn(_ parts: [LivePicture.Part]) -> [LivePicture.Part] {
        let byKey = Dictionary(parts.map { ($0.key, $0) }) { one, _ in one }
        let waiting = Set(late)
        return late.compactMap { byKey[$0] } + parts.filter { !waiting.contains($0.key) }
    }
}
