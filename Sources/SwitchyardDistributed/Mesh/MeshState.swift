// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

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
    /// Notifications lost with connections that broke, by address: the next connection begins with
    /// them.
    var lostBefore: [String: UInt64] = [:]
    var routes = Routes()
    /// How many outlets have not said what they want.
    var undecidedOutlets = 0
    var pace = WritePace()
    /// A notification's frame on its way into queues.
    var scratch = ByteWriter()
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

/// Whether a post is written by the posting thread, or by the writer.
///
/// A write by the posting thread saves the writer's wake-up, and with it most of the latency. In a
/// burst, it costs a system call for each notification and peer, where the writer would take many at
/// once. So a thread that goes on posting gets only so many writes of its own, and more for time it
/// spends otherwise.
struct WritePace {
    private static let most = 8
    /// Time since the last write for which there is one more.
    private static let nanosecondsForOne: UInt64 = 4_000

    private var left = most
    private var lastWriteEnd: UInt64 = 0

    /// Whether the posting thread may write.
    mutating func mayWrite() -> Bool {
        let idle = switchyard_now() &- lastWriteEnd
        if idle >= Self.nanosecondsForOne {
            left = min(Self.most, left + Int(min(idle / Self.nanosecondsForOne, 8)))
        }
        if left == 0 { return false }
        left -= 1
        return true
    }

    mutating func wrote() { lastWriteEnd = switchyard_now() }
}
