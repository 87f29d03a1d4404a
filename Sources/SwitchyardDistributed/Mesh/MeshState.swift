// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What all threads share of a mesh. Guard: the mesh's lock.
struct MeshState: ~Copyable {
    var isStopped = false
    var lastToken: UInt64 = Mesh.firstConnectionToken
    /// All connections, by token.
    var connections: [UInt64: MeshConnection] = [:]
    /// Those on which this member posts, by the address of the other.
    var outlets: [String: Outlet] = [:]
    /// Those on which others post to this one.
    var inlets: [UInt64: Inlet] = [:]
    /// For those that have not said what they want, by address.
    var backlogs: [String: PeerBacklog] = [:]
    /// Of those whose connection broke, by address: how many notifications came, or are known to be
    /// missing.
    var heardBefore: [String: UInt64] = [:]
    var routes = Routes()
    var pace = WritePace()
    /// A notification's frame on its way.
    var scratch = ByteWriter()
    /// The frames that wait.
    var log = FrameLog()
    /// What the writer has to write.
    var toWrite: [MeshConnection] = []
    /// The number of the last sync.
    var lastSync: UInt64 = 0
    var waiters: [MeshWaiter] = []
    var questions = Questions()

    mutating func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }
}
