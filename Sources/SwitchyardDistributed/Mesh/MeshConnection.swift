// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardWire
internal import Synchronization

/// One connection to another member. Notifications go one way: from the member that connected,
/// which has an ``Outlet``, to the one that accepted, which has an ``Inlet``.
class MeshConnection: @unchecked Sendable {
    // Sendable: `descriptor`, `token` and `process` are constant, `splitter` belongs to the reading
    // thread, and each other variable names its guard.

    let descriptor: Int32
    /// The connection's number in the pollers.
    let token: UInt64
    /// The process at the other end, by the kernel's word.
    let process: Int32
    // Allocated separately: each access to a class's stored variable is checked for exclusivity at
    // run time, which takes longer than the work here.
    private let splitterStorage = UnsafeMutablePointer<FrameSplitter>.allocate(capacity: 1)
    private let queueStorage = UnsafeMutablePointer<OutQueue>.allocate(capacity: 1)
    private let batchStorage = UnsafeMutablePointer<OutBatch>.allocate(capacity: 1)

    final var splitter: FrameSplitter {
        _read { yield splitterStorage.pointee }
        _modify { yield &splitterStorage.pointee }
    }

    /// Guard: the mesh's state.
    final var queue: OutQueue {
        _read { yield queueStorage.pointee }
        _modify { yield &queueStorage.pointee }
    }

    /// The batch belongs to the writer while `queue` is leaving. Guard otherwise: the mesh's state.
    final var batch: OutBatch {
        _read { yield batchStorage.pointee }
        _modify { yield &batchStorage.pointee }
    }

    /// The peer, once its greeting has come. Guard: the mesh's state.
    var peer: DistributedPeer?
    /// Whether the connection was closed and forgotten. Guard: the mesh's state.
    var isClosed = false
    /// The reason why this process broke the connection off, for the report when it is closed.
    /// Guard: the mesh's state.
    var fault: String?

    init(_ descriptor: Int32, token: UInt64, process: Int32) {
        self.descriptor = descriptor
        self.token = token
        self.process = process
        splitterStorage.initialize(to: FrameSplitter())
        queueStorage.initialize(to: OutQueue())
        batchStorage.initialize(to: OutBatch())
    }

    /// The peer, or what the connection tells of it.
    var knownPeer: DistributedPeer {
        peer
            ?? DistributedPeer(
                id: (self as? Outlet)?.address ?? "", processIdentifier: process, processName: "?")
    }

    /// Shuts the connection down in both directions; the reading thread then closes it.
    func breakOff() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    // The descriptor is closed with the last reference, because anyone with a reference may use its
    // number.
    deinit {
        switchyard_fork_close(descriptor)
        splitterStorage.deinitialize(count: 1)
        splitterStorage.deallocate()
        queueStorage.deinitialize(count: 1)
        queueStorage.deallocate()
        batchStorage.deinitialize(count: 1)
        batchStorage.deallocate()
    }
}

/// The connection on which this member posts to another.
final class Outlet: MeshConnection, @unchecked Sendable {
    // Sendable: as for the superclass. The variables below are guarded by the mesh's state.

    /// The address under which the member was found.
    let address: String
    var wanted = WantedInterests()
    /// Whether the peer posts, and so will connect back. Guard: the mesh's state.
    var mayPost = true
    /// Whether the peer has said for how long it could not be found. Guard: the mesh's state.
    var hasToldAbsence = false
    /// Whether `wanted` is complete. Until then, a ``PeerBacklog`` keeps everything.
    var hasSaidWhatItWants = false
    private let countsStorage = UnsafeMutablePointer<Counts>.allocate(capacity: 1)

    struct Counts {
        /// The sequence number of the next notification.
        var nextSequence: UInt64 = 1
        var sent: UInt64 = 0
        var lost: UInt64 = 0
        /// The number of notifications lost since the peer was last told.
        var lostSinceTold: UInt64 = 0
        /// Whether the peer has taken something since a posting thread last yielded for it.
        var hasMoved = false
        /// Whether the peer is to be told that notifications are missing, once there is room.
        var isOverflowing = false
        /// The number in the last FAREWELL; 0 if none was written.
        var farewell: UInt64 = 0
        /// The number of bytes that the writer has written. A peer takes nothing if bytes wait for
        /// it and this number stays the same.
        var taken: UInt64 = 0
    }

    var counts: Counts {
        _read { yield countsStorage.pointee }
        _modify { yield &countsStorage.pointee }
    }

    init(_ descriptor: Int32, token: UInt64, process: Int32, address: String) {
        self.address = address
        countsStorage.initialize(to: Counts())
        super.init(descriptor, token: token, process: process)
    }

    deinit { countsStorage.deallocate() }
}

/// The connection on which another member posts to this one.
final class Inlet: MeshConnection, @unchecked Sendable {
    // Sendable: as for the superclass. The variables below belong to the reading thread, unless
    // they name another guard.

    /// The sequence number that the next notification should have. Written by the reading thread
    /// alone.
    let expected = Atomic<UInt64>(1)
    /// The number in the last SYNCED frame. Guard: the mesh's state.
    var synced: UInt64 = 0
    /// Whether the poster's greeting has come. Guard: the mesh's state.
    var isGreeted = false
    /// The number of notifications that are missing. Guard: the mesh's state.
    var missed: UInt64 = 0
    /// Whether the poster's greeting has come and was accepted.
    var isWelcome = false
    /// Whether the poster has announced a FAREWELL. If it has, an end without one is a gap of
    /// unknown size.
    var hasPromise = false
    /// The largest number in a FAREWELL; nil if none has come.
    var farewell: UInt64?
    /// The message that each frame is lent to, once the poster is welcome.
    var message = ReceivedMessage.none

    /// The number of notifications that came. Under the mesh's lock.
    var received: UInt64 { expected.load(ordering: .relaxed) &- 1 &- missed }
}
