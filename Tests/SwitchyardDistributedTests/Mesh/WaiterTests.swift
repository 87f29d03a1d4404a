// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Waits for many peers, which answer in any order, or end.
@Suite("Waits for many peers", .timeLimit(.minutes(5))) struct WaiterTests {
    private static func answer(_ peer: ScriptedPeer, _ number: UInt64) {
        peer.say { $0.frame(.synced, number) }
        // The center has read the answer when it answers this.
        peer.say { $0.frame(.ping, number) }
        #expect(peer.hear(until: .pong)?.type == .pong)
    }

    @Test(.rule(36), arguments: 0..<4)
    func `A wait ends with the last peer that answers or ends, in whatever order they do`(
        seed: UInt64
    ) async throws {
        let network = ScriptedNetwork()
        let center = try network.center()
        var peers = (0..<40).map { _ in network.call() }
        for peer in peers {
            peer.greet()
            #expect(peer.hear(until: .sync)?.type == .sync)
        }
        let ended = Log<Int>()
        let wait = Task {
            let missing = await center.waitUntilReady(within: .seconds(100_000))
            ended.add(missing.count)
        }
        for peer in peers {
            // Not on a thread of the pool, where the wait begins.
            #expect(await onOwnThread { peer.hear(until: .sync)?.type } == .sync)
        }
        switch seed {
        case 0: break
        case 1: peers.reverse()
        default: peers.shuffle()
        }
        let mesh = try #require(center.engineTransport as? Mesh)
        #expect(await until { mesh.state.withLock { $0.waits.count } == 1 })
        for (index, peer) in peers.dropLast().enumerated() {
            if seed == 3, index % 3 == 0 {
                let before = mesh.state.withLock { $0.inlets.count }
                peer.hangUp()
                #expect(await until { mesh.state.withLock { $0.inlets.count } < before })
            } else {
                Self.answer(peer, 1)
            }
            #expect(mesh.state.withLock { $0.waits.count } == 1)
        }
        #expect(ended.entries.isEmpty)
        try Self.answer(#require(peers.last), 1)
        #expect(await ended.arrival(of: 1) == [0])
        await wait.value
    }

    @Test(.rule(36)) func `A member that has not connected back is waited for`() async throws {
        let id = PeerID.random()
        let network = ScriptedNetwork(peers: [id.description])
        let center = try network.center()
        let hearer = try #require(network.peer(id.description))
        hearer.greet(id: id, address: id.description)
        hearer.say { $0.frame(.sync, 0) }
        #expect(hearer.hear(until: .synced)?.type == .synced)
        #expect(await center.waitUntilReady(within: .milliseconds(1)).map(\.id) == [id.description])
        let wait = Task { await center.waitUntilReady(within: .seconds(100_000)) }
        let mesh = try #require(center.engineTransport as? Mesh)
        #expect(await until { mesh.state.withLock { $0.waits.count } == 1 })
        let poster = network.call()
        poster.greet(id: id, address: id.description)
        #expect(poster.hear(until: .sync)?.type == .sync)
        #expect(mesh.state.withLock { $0.waits.count } == 1)
        poster.say { $0.frame(.synced, 2) }
        #expect(await wait.value.isEmpty)
        #expect(mesh.state.withLock { $0.posters } == [id.description: 1])
        poster.hangUp()
        #expect(await until { mesh.state.withLock { $0.posters.isEmpty } })
    }
}
