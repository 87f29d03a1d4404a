// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
internal import SwitchyardWeb

/// The newest picture, for all pages that are open.
final class LiveBoard: Sendable {
    /// Guarded by its own lock.
    private let newest = Guarded(LivePicture())

    var picture: LivePicture { newest.withLock { $0 } }

    func show(_ picture: LivePicture) { newest.withLock { $0 = picture } }
}

/// The parts of the newest picture that one page does not have yet. Nothing is queued: a page that is slow misses what was in
/// between.
struct LiveUpdates: PageUpdates {
    private let board: LiveBoard
    /// The parts that the page has, by their keys; nil before the first update.
    private var known: [String: String]?
    /// The parts that had no room the last time, which come first the next time.
    private var late: Set<String> = []

    init(_ board: LiveBoard) { self.board = board }

    mutating func next(limit: Int) -> String? { next(board.picture, limit: limit) }

    /// An object with the parts that are new (`set`), and the keys of those that are no longer there
    /// (`gone`). The first also says that nothing that the page had before is true (`isFirst`).
    ///
    /// - Parameter limit: the most bytes. Parts without room come the next time.
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
        var next: Set<String> = []
        let new = picture.parts.filter { old[$0.key] != $0.json }
        for part in new.filter({ late.contains($0.key) }) + new.filter({ !late.contains($0.key) }) {
            let entry = "\"\(part.key)\":\(part.json)"
            guard size + entry.utf8.count + 1 <= limit else {
                next.insert(part.key)
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
}
