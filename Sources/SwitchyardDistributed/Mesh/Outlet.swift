// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The connection on which this member posts to another.
final class Outlet: MeshConnection, @unchecked Sendable {
    // Sendable: as for the superclass. The variables below are guarded by the mesh's state.

    /// The address under which the member was found.
    let address: String
    /// Whether the peer's greeting has come. Belongs to the reading thread.
    var isGreeted = false
    var wanted = WantedInterests()
    /// Whether the peer posts, and so will connect back. Guard: the mesh's state.
    var mayPost = true
    /// Whether the peer has said for how long it could not be found. Guard: the mesh's state.
    var hasToldAbsence = false
    /// Whether `wanted` is complete. Until then, a ``PeerBacklog`` keeps everything.
    var hasSaidWhatItWants = false
    /// The connection's number in traces; nil until it is first asked for. Guard: the mesh's state.
    var traceConnection: UInt32?
    private let countsStorage = UnsafeMutablePointer<Counts>.allocate(capacity: 1)

    struct Counts {
        /// The sequence number of the next notification.
        var nextSequence: UInt64 = 1
        var sent: UInt64 = 0
        var lost: UInt64 = 0
        /// The number of notifications lost since the peer was last told.
        var lostSinceTold: UInt64 = 0
        /// The bytes that waited when nothing of them could be dropped. Until fewer wait, or
        /// something is queued that can be dropped, a search would find nothing.
        var undroppable = Int.max
        /// Whether the peer has taken something since a posting thread last gave way to it.
        var hasMoved = false
        /// Whether the peer is to be told that notifications are missing, once there is room.
        var isOverflowing = false
        /// The number in the last FAREWELL; 0 if none was written.
        var farewell: UInt64 = 0
        /// The number of bytes that the writer has written. A peer takes nothing if bytes wait for
        /// it and this number stays the same.
        var taken: UInt64 = 0
    }

    override var knownPeer: DistributedPeer {
        peer ?? DistributedPeer(id: address, processIdentifier: process, processName: "?")
    }

    var counts: Counts {
        _read { yield countsStorage.pointee }
        _modify { yield &countsStorage.pointee }
    }

    /// The number of queued bytes beyond which a posting thread gives way.
    static var much: Int { 512 * 1024 }

    /// Whether a notification of `size` bytes can be put behind those that wait, with nothing else
    /// to be done: none is to be written at once, dropped or told.
    @inline(__always)
    func isInTurn(for size: Int, below limit: Int) -> Bool {
        let (waiting, counts) = (queue.count, countsStorage)
        return waiting > 0 && waiting &+ size <= limit && !counts.pointee.isOverflowing
            && (waiting <= Self.much || !counts.pointee.hasMoved)
            && counts.pointee.undroppable == .max
    }

    /// Puts a notification behind those that wait, if it ``isInTurn(for:below:)``.
    ///
    /// - Parameter sequence: the next number.
    @inline(__always)
    func append(_ position: LogPosition, _ sequence: UInt64) {
        countsStorage.pointee.nextSequence = sequence &+ 1
        countsStorage.pointee.sent &+= 1
        queue.append(position, sequence: sequence)
    }

    init(_ descriptor: Int32, token: UInt64, process: Int32, address: String) {
        self.address = address
        countsStorage.initialize(to: Counts())
        super.init(descriptor, token: token, process: process)
    }

    deinit { countsStorage.deallocate() }
}
