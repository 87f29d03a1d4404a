// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
internal import SwitchyardWire
internal import Synchronization

/// One connection to another member. Notifications go one way: from the member that connected to
/// the one that accepted. Each end is a subclass.
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
        peer ?? DistributedPeer(id: "", processIdentifier: process, processName: "?")
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
