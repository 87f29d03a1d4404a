// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Posters that can't be connected to: their end is the end of their connections.
@Suite("Ends of posters without an address", .timeLimit(.minutes(5))) struct PosterEndTests {
    private static let name = Notification.Name("A")

    /// Posts a value that is kept, the next on its connection.
    private static func postKept(_ peer: ScriptedPeer, _ number: UInt64 = 1) {
        var frame = Raw.notification(number, payload: [UInt8](repeating: 1, count: 8))
        // Behind the length and the type.
        frame[WireFormat.lengthBytes + 1] = NotificationFrame.isKept
        frame.withUnsafeBytes { bytes in _ = peer.say { $0.append(bytes: bytes) } }
    }

    @Test(.rule(43)) func `The latest value of a poster without an address ends with it`()
        async throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        let token = center.observe(Self.name, on: .poster) { _ in }
        let peer = network.call()
        peer.greet()
        #expect(peer.hear(until: .sync)?.type == .sync)
        Self.postKept(peer)
        #expect(await until { center.latest(Self.name) != nil })
        peer.hangUp()
        #expect(await until { center.latest(Self.name) == nil })
        token.cancel()
    }

    @Test(.rule(43)) func `The latest value stays while one of the poster's connections does`()
        async throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        let token = center.observe(Self.name, on: .poster) { _ in }
        let id = PeerID.random()
        let (first, second) = (network.call(), network.call())
        for peer in [first, second] {
            peer.greet(id: id)
            #expect(peer.hear(until: .sync)?.type == .sync)
        }
        Self.postKept(second)
        #expect(await until { center.latest(Self.name) != nil })
        let mesh = try #require(center.engineTransport as? Mesh)
        first.hangUp()
        #expect(await until { mesh.state.withLock { $0.inlets.count == 1 } })
        // The connection's thread has done with the end of the other.
        second.say { $0.frame(.ping, 1) }
        #expect(second.hear(until: .pong)?.type == .pong)
        #expect(center.latest(Self.name) != nil)
        second.hangUp()
        #expect(await until { center.latest(Self.name) == nil })
        token.cancel()
    }

    @Test(.rule(43)) func `A stranger with the id of a member ends none of the member's values`()
        async throws
    {
        let id = PeerID.random()
        let network = ScriptedNetwork(peers: [id.description])
        let center = try network.center()
        let token = center.observe(Self.name, on: .poster) { _ in }
        let member = network.call()
        member.greet(id: id, address: id.description)
        #expect(member.hear(until: .sync)?.type == .sync)
        Self.postKept(member)
        #expect(await until { center.latest(Self.name) != nil })
        member.hangUp()
        let mesh = try #require(center.engineTransport as? Mesh)
        #expect(await until { mesh.state.withLock { $0.inlets.isEmpty } })
        // The other connection is there.
        let stranger = network.call()
        stranger.greet(id: id)
        #expect(stranger.hear(until: .sync)?.type == .sync)
        stranger.hangUp()
        let other = network.call()
        other.greet()
        #expect(other.hear(until: .sync)?.type == .sync)
        #expect(await until { mesh.state.withLock { $0.inlets.count == 1 } })
        other.say { $0.frame(.ping, 1) }
        #expect(other.hear(until: .pong)?.type == .pong)
        #expect(center.latest(Self.name) != nil)
        token.cancel()
    }

    @Test(.rule(46)) func `A poster without an address chooses for as long as it is there`()
        async throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        let groups = center.intake.groups
        let id = PeerID.random()
        let peer = network.call()
        peer.greet(id: id)
        peer.say { Farewell.writeChoice(to: &$0) }
        func isRemembered() -> Bool { groups.state.withLock { $0.gone.contains(id.description) } }
        #expect(await until { groups.state.withLock { $0.choosing.contains(id.description) } })
        #expect(!isRemembered())
        peer.hangUp()
        #expect(await until { isRemembered() })
    }

    @Test(.rule(46)) func `A member that was given up chooses for as long as it is heard`()
        async throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        let groups = center.intake.groups
        let id = PeerID.random()
        // The center can't connect to it, and takes it for gone.
        let peer = network.call()
        peer.greet(id: id, address: id.description)
        peer.say { Farewell.writeChoice(to: &$0) }
        #expect(await until { groups.state.withLock { $0.choosing.contains(id.description) } })
        #expect(network.dialled == [id.description])
        // Somebody has the center try again.
        let again = network.call()
        again.greet(id: id, address: id.description)
        #expect(await until { network.dialled.count == 2 })
        again.say { $0.frame(.ping, 1) }
        #expect(again.hear(until: .pong)?.type == .pong)
        for number in 0..<(Remembered<String>.most * 2) { groups.hasGone("\(number)") }
        #expect(groups.state.withLock { $0.choosing.contains(id.description) })
        for peer in [again, peer] { peer.hangUp() }
        #expect(await until { groups.state.withLock { $0.gone.contains(id.description) } })
        for number in 0..<(Remembered<String>.most * 2) { groups.hasGone("\(number)") }
        #expect(groups.state.withLock { !$0.choosing.contains(id.description) })
    }

    @Test(.rule(46)) func `A process that is back chooses, however many others end`() throws {
        let center = try DistributedNotificationCenter(transport: HandCarriedTransport("own"))
        let groups = center.intake.groups
        groups.chooses("other")
        groups.hasGone("other")
        groups.chooses("other")
        for number in 0..<(Remembered<String>.most * 2) { groups.hasGone("\(number)") }
        #expect(groups.state.withLock { $0.choosing.contains("other") })
    }
}
