// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import Synchronization

/// One connection to another member. Notifications go one way: from the member that connected, which
/// has an ``Outlet``, to the one that accepted, which has an ``Inlet``.
class MeshConnection: @unchecked Sendable {
    // Sendable: `descriptor` and `token` are constant; `splitter` and `process` belong to the thread
    // that reads; the rest has its guard named.

    let descriptor: Int32
    /// What the pollers call it.
    let token: UInt64
    /// Who is at the other end, as the kernel says.
    let process: Int32
    // In memory of their own: for variables of a class, each access is checked against others at run
    // time, which takes longer than what is done here.
    private let splitterPlace = UnsafeMutablePointer<FrameSplitter>.allocate(capacity: 1)
    private let queuePlace = UnsafeMutablePointer<OutQueue>.allocate(capacity: 1)
    private let batchPlace = UnsafeMutablePointer<OutBatch>.allocate(capacity: 1)

    final var splitter: FrameSplitter {
        _read { yield splitterPlace.pointee }
        _modify { yield &splitterPlace.pointee }
    }

    /// Guard: the mesh's state.
    final var queue: OutQueue {
        _read { yield queuePlace.pointee }
        _modify { yield &queuePlace.pointee }
    }

    /// The writer's while `queue` is leaving; else guarded by the mesh's state.
    final var batch: OutBatch {
        _read { yield batchPlace.pointee }
        _modify { yield &batchPlace.pointee }
    }

    /// Who it is, once it has said hello. Guard: the mesh's state.
    var peer: DistributedPeer?
    /// Guard: the mesh's state.
    var isClosed = false
    /// Why this process has broken it off, to be reported when it is closed. Guard: the mesh's state.
    var fault: String?

    init(_ descriptor: Int32, token: UInt64, process: Int32) {
        self.descriptor = descriptor
        self.token = token
        self.process = process
        splitterPlace.initialize(to: FrameSplitter())
        queuePlace.initialize(to: OutQueue())
        batchPlace.initialize(to: OutBatch())
    }

    /// Ends it in both directions, upon which the thread that reads closes it.
    func breakOff() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    // Not before the last reference has gone: whoever has one may use the number.
    deinit {
        switchyard_fork_close(descriptor)
        splitterPlace.deinitialize(count: 1)
        splitterPlace.deallocate()
        queuePlace.deinitialize(count: 1)
        queuePlace.deallocate()
        batchPlace.deinitialize(count: 1)
        batchPlace.deallocate()
    }
}

/// The connection on which this member posts to another.
final class Outlet: MeshConnection, @unchecked Sendable {
    // Sendable: as its superclass. What follows is guarded by the mesh's state.

    /// Under what name the member was found.
    let address: String
    var wanted = WantedInterests()
    /// Whether the peer will connect back: it may have something to post. Guard: as above.
    var mayPost = true
    /// Whether `wanted` is complete. Until then, everything is kept in a ``PeerBacklog``.
    var hasSaidWhatItWants = false
    private let countsPlace = UnsafeMutablePointer<Counts>.allocate(capacity: 1)

    struct Counts {
        /// The number of the next notification.
        var nextSequence: UInt64 = 1
        var sent: UInt64 = 0
        var lost: UInt64 = 0
        /// How many were lost since the peer was told last.
        var lostSinceTold: UInt64 = 0
        /// Whether the peer has taken something since a posting thread last gave way.
        var hasMoved = false
        /// Whether it is to be told that notifications are missing, once there is room.
        var isOverflowing = false
    }

    var counts: Counts {
        _read { yield countsPlace.pointee }
        _modify { yield &countsPlace.pointee }
    }

    init(_ descriptor: Int32, token: UInt64, process: Int32, address: String) {
        self.address = address
        countsPlace.initialize(to: Counts())
        super.init(descriptor, token: token, process: process)
    }

    deinit { countsPlace.deallocate() }
}

/// The connection on which another member posts to this one.
final class Inlet: MeshConnection, @unchecked Sendable {
    // Sendable: as its superclass. What follows belongs to the reading thread, unless it says
    // otherwise.

    /// The number that the next notification should have. Written by the reading thread alone.
    let expected = Atomic<UInt64>(1)
    /// The last sync that was answered. Guard: the mesh's state.
    var synced: UInt64 = 0
    /// Whether its greeting has come. Guard: the mesh's state.
    var isGreeted = false
    /// Guard: the mesh's state.
    var missed: UInt64 = 0
    /// Whether its greeting has come and was answered.
    var isWelcome = false
    /// What frames are lent to, once it is welcome.
    var message = ReceivedMessage.none

    /// How many notifications came. Under the mesh's lock.
    var received: UInt64 { expected.load(ordering: .relaxed) &- 1 &- missed }
}
