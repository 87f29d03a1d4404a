// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The report of a hearer whose connection broke: how much came, and how much is missing.
@Suite("Reports of what was heard before a break", .timeLimit(.minutes(5)))
struct HeardCountTests {
    private static func numbers(_ body: [UInt8]) -> [UInt64] {
        stride(from: 0, to: body.count, by: 8).map { start in
            body[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private static func wantAll(_ peer: ScriptedPeer) {
        peer.say { frames in
            DistributedInterest(name: nil, object: nil).write(to: &frames, isObserved: true)
            frames.frame(.sync, 0)
        }
    }

    @Test(.rule(36), arguments: [DistributedLimits.Overflow.dropOldest, .dropNewest, .keepLatest])
    func `A gap that the hearer found before a break is reported by the poster, too`(
        overflow: DistributedLimits.Overflow
    ) async throws {
        let network = ScriptedNetwork(peers: ["peer"])
        var limits = DistributedLimits()
        limits.queueBytes = 64 * 1024
        limits.overflow = overflow
        let center = try network.center(limits)
        let losses = Log<DistributedLoss>()
        center.onLoss { losses.add($0) }
        let peer = try #require(network.peer("peer"))
        peer.greet()
        Self.wantAll(peer)
        let connection = try #require(peer.hear(until: .connection))
        #expect(peer.hear(until: .synced)?.type == .synced)
        // Nothing more can be written.
        network.onSend.withLock { $0 = { _ in -Int(EAGAIN) } }
        let posts: UInt64 = 200
        for _ in 0..<posts {
            let payload = try DistributedPayload(bytes: Array(repeating: 7, count: 1_000))
            _ = try center.post(name: Notification.Name("A"), payload: payload)
        }
        let dropped = try #require(center.peers.first?.lost)
        #expect(dropped > 0)
        network.readmit("peer")
        peer.hangUp()
        network.onSend.withLock { $0 = nil }
        #expect(await until { network.peer("peer") != nil })
        let again = try #require(network.peer("peer"))
        again.greet()
        // It has heard one of the last notifications, and knows that all the dropped ones are missing.
        again.say { frames in
            HeardCount(
                count: posts - 10, connection: Self.numbers(connection.body)[0], missing: dropped
            ).write(to: &frames)
        }
        Self.wantAll(again)
        // The peer is told of what it does not know.
        #expect(again.hear(until: .lost).map { Self.numbers($0.body) } == [11])
        // Some may have been reported before the break.
        #expect(await until { losses.entries.reduce(0) { $0 + $1.count } == dropped + 10 })
    }

    @Test(.rule(36)) func `A loss that was reported before a break is not reported again`()
        async throws
    {
        let network = ScriptedNetwork(peers: ["peer"])
        var limits = DistributedLimits()
        limits.queueBytes = 64 * 1024
        let center = try network.center(limits)
        let losses = Log<DistributedLoss>()
        center.onLoss { losses.add($0) }
        let peer = try #require(network.peer("peer"))
        peer.greet()
        Self.wantAll(peer)
        let connection = try #require(peer.hear(until: .connection))
        #expect(peer.hear(until: .synced)?.type == .synced)
        // Nothing more can be written.
        network.onSend.withLock { $0 = { _ in -Int(EAGAIN) } }
        let posts: UInt64 = 200
        for _ in 0..<posts {
            let payload = try DistributedPayload(bytes: Array(repeating: 7, count: 1_000))
            _ = try center.post(name: Notification.Name("A"), payload: payload)
        }
        let dropped = try #require(center.peers.first?.lost)
        network.onSend.withLock { $0 = nil }
        // Has the center write.
        peer.say { $0.frame(.sync, 1) }
        #expect(peer.hear(until: .lost)?.type == .lost)
        #expect(await losses.arrival(of: 1).map(\.count) == [dropped])
        network.readmit("peer")
        peer.hangUp()
        #expect(await until { network.peer("peer") != nil })
        let again = try #require(network.peer("peer"))
        again.greet()
        again.say { frames in
            HeardCount(
                count: posts, connection: Self.numbers(connection.body)[0], missing: dropped + 2
            ).write(to: &frames)
        }
        Self.wantAll(again)
        #expect(await losses.arrival(of: 2).map(\.count) == [dropped, 2])
    }

    @Test(.rule(36)) func `A hearer says how many notifications before the last one did not come`()
        async throws
    {
        let id = PeerID.random()
        let network = ScriptedNetwork(peers: [id.description])
        let center = try network.center()
        let losses = Log<DistributedLoss>()
        center.onLoss { losses.add($0) }
        let token = center.observe(undecoded: nil, on: .poster) { _ in }
        let first = network.call()
        first.greet(id: id, address: id.description)
        #expect(first.hear(until: .sync)?.type == .sync)
        #expect(await until { network.peer(id.description) != nil })
        first.say { frames in
            frames.frame(.connection, 9)
            for number: UInt64 in [1, 5, 6] {
                Raw.notification(number).withUnsafeBytes { frames.append(bytes: $0) }
            }
        }
        #expect(await losses.arrival(of: 1).map(\.count) == [3])
        first.hangUp()
        let second = network.call()
        second.greet(id: id, address: id.description)
        #expect(second.hear(until: .heard).map { Self.numbers($0.body) } == [6, 9, 3])
        token.cancel()
    }
}
