// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The state of a mesh that all threads share. Guard: the mesh's lock.
struct MeshState: ~Copyable {
    /// Up to this one, the tokens of the pollers are for descriptors other than connections.
    private static let lastReservedToken: UInt64 = 15

    var isStopped = false
    /// Whether this member has begun to leave: it posts nothing more, and has written FAREWELL to
    /// its hearers, or will.
    var isLeaving = false
    /// Whether there was a peer, connected or awaited, when this member began to leave.
    var isMissed = false
    /// The interests of the peers that were connected when this member closed its connections.
    var wantedAtEnd: [WantedInterests] = []
    /// Whether the problem hook was told of a post that came after this member had begun to leave.
    var hasRefusedPost = false
    var lastToken = MeshState.lastReservedToken
    /// All connections, by token.
    var connections: [UInt64: MeshConnection] = [:]
    /// The connections on which this member posts, by the other member's address.
    var outlets: [String: Outlet] = [:]
    /// The connections on which others post to this member, by token.
    var inlets: [UInt64: Inlet] = [:]
    /// The number of connections on which each member posts to this one, by its id. Connections
    /// without a greeting do not count, nor those in whose place there is a newer one.
    var posters: [String: Int] = [:]
    /// The notifications kept for peers that have not said what they want, by address.
    var backlogs: [String: PeerBacklog] = [:]
    /// The notifications that came on connections that broke, by the poster's address.
    var heardBefore: [String: HeardCount] = [:]
    /// The losses of connections that ended before the poster's FAREWELL, or before all that
    /// FAREWELL announced, by the poster's address. A loss is reported when the poster has gone: a
    /// poster that lives connects again, and says itself what was lost.
    var unsettled: [String: DistributedLoss] = [:]
    /// The number of milliseconds for which others could not find this member, by the address of
    /// each member that may have come in that time.
    var absences: [String: UInt64] = [:]
    var routes = Routes()
    var pace = WritePace()
    /// A notification's frame while it is being sent.
    var scratch = ByteWriter()
    /// The frames that wait.
    var log = FrameLog()
    /// The connections that the writer has to write to.
    var toWrite: [MeshConnection] = []
    /// The addresses of members of this process that have ended, until this one finds that they are
    /// gone.
    var endedHere: Set<String> = []
    /// The number of the last SYNC.
    var lastSync: UInt64 = 0
    var waits: [Wait] = []
    var questions = Questions()

    mutating func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }
}
