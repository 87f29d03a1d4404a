// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

// Faults between two centers. Each concerns one direction, unless it says otherwise. It applies to
// existing connections, and to later ones.
extension InMemoryNetwork {
    /// Holds up everything that goes from one center to another, from now on until
    /// ``release(from:to:)``.
    ///
    /// To its sender, the other center looks like a stopped process: once the connection is full
    /// (some 100 KiB), notifications wait in the sender, up to its `DistributedLimits`.
    public func hold(from: String, to other: String) {
        hub.change(NetworkPath(from: from, to: other)) { $0.isHeld = true }
    }

    /// Releases everything that ``hold(from:to:)`` held up.
    public func release(from: String, to other: String) {
        hub.change(NetworkPath(from: from, to: other)) { $0.isHeld = false }
    }

    /// Limits the number of bytes that are written or read at once.
    ///
    /// - Parameters:
    ///   - from: The center that sends.
    ///   - other: The center that receives.
    ///   - bytes: The most bytes at once, at least 1; nil, as at first, for no limit.
    public func limitPieces(from: String, to other: String, bytes: Int?) {
        Misuse.unless(bytes.map { $0 > 0 } ?? true, "a piece has one byte at least")
        hub.change(NetworkPath(from: from, to: other)) { $0.piece = bytes }
    }

    /// Cuts the connections between two centers, in both directions. Bytes that are on their way
    /// are lost.
    ///
    /// The centers connect again by themselves, a moment later.
    public func disconnect(_ one: String, _ other: String) { hub.cut(one, other) }

    /// Cuts the connections between two centers, in both directions, once `count` more bytes have
    /// gone from one to the other. Bytes behind them are lost.
    public func disconnect(from: String, to other: String, afterBytes count: Int) {
        Misuse.unless(count > 0, "to disconnect at once, call disconnect(_:_:)")
        hub.change(NetworkPath(from: from, to: other)) { $0.bytesUntilCut = count }
    }
}
