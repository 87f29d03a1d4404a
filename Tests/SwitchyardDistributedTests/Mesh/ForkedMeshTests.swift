// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("Forked children of a member", .timeLimit(.minutes(4))) struct ForkedMeshTests {
    @Test func `A forked child asks for its peers while a thread of its parent held the lock`()
        async
    {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork(peers: ["peer"])
            let center = try network.center()
            let mesh = try #require(center.transport as? Mesh)
            try #require(network.peer("peer")).greet()
            #expect(center.peers.count == 1)
            // A thread that forks under the lock, as one that forks beside it: in the child,
            // nobody gives the lock back.
            let child = try mesh.state.withLock { _ in try Self.forkAndAsk(center, mesh) }
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            withExtendedLifetime(center) {}
        }
    }

    /// Forks a child that asks, and ends with zero if it got the answers of a child.
    private static func forkAndAsk(
        _ center: DistributedNotificationCenter, _ mesh: Mesh
    ) throws -> Int32 {
        let symbol = try #require(dlsym(nil, "fork"))
        // Unsafe: Swift does not offer the function, whose type this is.
        let child = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
        if child != 0 { return child }
        // A child that waits for ever is ended by the signal.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        alarm(60)
        mesh.beginLeaving()
        _exit(center.peers.isEmpty ? 0 : 1)
    }
}
