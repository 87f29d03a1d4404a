// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// What can go wrong between two centers. Each is about one direction, unless it says otherwise; it
// holds for connections that there are, and for those that come.
extension InMemoryNetwork {
    /// Holds up whatever goes from one center to another, from now on until ``release(from:to:)``.
    ///
    /// To its sender, the other looks like a process that is stopped: once the connection is full
    /// (some 100 KiB), notifications wait in the sender, up to its `DistributedLimits`.
    public func hold(from: String, to other: String) {
        hub.change(NetworkPath(from: from, to: other)) { $0.isHeld = true }
    }

    /// Lets go what ``hold(from:to:)`` held up.
    public func release(from: String, to other: String) {
        hub.change(NetworkPath(from: from, to: other)) { $0.isHeld = false }
    }

    /// Has everything go in pieces: no more is written or read at once.
    ///
    /// - Parameters:
    ///   - from: who sends.
    ///   - other: who receives.
    ///   - bytes: how much at once, at least 1; nil: as much as there is, as at first.
    public func limitPieces(from: String, to other: String, bytes: Int?) {
        precondition(bytes.map { $0 > 0 } ?? true, "a piece has one byte at least")
        hub.change(NetworkPath(from: from, to: other)) { $0.piece = bytes }
    }

    /// Cuts the connections between two centers, in both directions. What is on its way is lost.
    ///
    /// They connect again by themselves, a moment later.
    public func disconnect(_ one: String, _ other: String) { hub.cut(one, other) }

    /// Cuts the connections between two centers, in both directions, once so many bytes more have gone
    /// from one of them to the other. What comes behind them is lost.
    public func disconnect(from: String, to other: String, afterBytes count: Int) {
        precondition(count > 0, "to disconnect at once, call disconnect(_:_:)")
        hub.change(NetworkPath(from: from, to: other)) { $0.bytesUntilCut = count }
    }
}

/// The way from one center to another, by their names.
struct NetworkPath: Hashable, Sendable {
    let from: String
    let to: String
}

/// What is wrong with a way.
struct NetworkFaults: Sendable {
    var isHeld = false
    var piece: Int?
    var bytesUntilCut: Int?

    /// How many of `count` bytes may go at once.
    func admitted(_ count: Int) -> Int {
        min(count, piece ?? count, bytesUntilCut ?? count)
    }
}
