// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardWire
import TestSupport
import Testing

/// Peers that send frames no honest peer would.
@Suite("Hostile peers", .serialized, .timeLimit(.minutes(5)))
struct HostilePeerTests {
    @Test(.rule(39)) func `Impossible sequence numbers end the connection, not the process`()
        throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        for number in [UInt64.max, UInt64.max - 1, 1 << 63] {
            let peer = network.call()
            peer.greet()
            peer.say { $0.frame(.lost, number) }
            #expect(peer.hear(until: .bye)?.type == .bye)
        }
        withExtendedLifetime(center) {}
    }

    @Test(
        .rule(39),
        arguments: ["../stolen", "/etc/passwd", "..", "0123456789abcdef0123456789abcdef"])
    func `An address that is not the peer's own is not connected to`(
        address: String
    ) throws {
        let network = ScriptedNetwork()
        let center = try network.center()
        let peer = network.call()
        peer.greet(address: address)
        #expect(peer.hear(until: .sync)?.type == .bye)
        #expect(network.dialled == [])
        withExtendedLifetime(center) {}
    }

    @Test(.rule(39)) func `A peer that claims to be this process is refused`() throws {
        let network = ScriptedNetwork()
        let center = try network.center()
        let first = network.call()
        first.greet()
        let hello = try #require(first.hear(until: .hello))
        let own = try hello.body.withUnsafeBytes { try Greeting($0) }
        let peer = network.call()
        peer.greet(id: own.id, address: own.address)
        #expect(peer.hear(until: .sync)?.type == .bye)
        withExtendedLifetime(center) {}
    }

    @Test(.rule(28)) func `Answers to a peer that does not read are bounded`() throws {
        let network = ScriptedNetwork()
        let center = try network.center(DistributedLimits(queueBytes: 1024))
        let peer = network.call()
        peer.greet()
        var isTaken = true
        for _ in 0..<300 where isTaken {
            isTaken = peer.say { frames in
                for number in 0..<1_000 { frames.frame(.ping, UInt64(number)) }
            }
        }
        #expect(!isTaken)
        withExtendedLifetime(center) {}
    }

    @Test(.rule(39)) func `A peer that asks for the status without a pause holds nobody up`() throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        let peer = network.call()
        peer.greet()
        #expect(peer.hear(until: .sync)?.type == .sync)
        peer.say { frames in
            for number: UInt64 in 1...1_000 { frames.frame(.status, number) }
            frames.frame(.ping, 1)
        }
        var answers: [UInt64] = []
        func hearAnswer(or type: FrameType) -> Bool {
            let answer = peer.hear { $0 == .report || $0 == type }
            guard let answer, answer.type == .report else { return false }
            answers.append(answer.body.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
            return true
        }
        while hearAnswer(or: .pong) {}
        #expect(answers.first == 1)
        #expect(answers.count < 500)
        // The last questions are answered, too.
        while answers.count < 1_000, hearAnswer(or: .bye) {}
        #expect(Set(answers) == Set(1...1_000))
        withExtendedLifetime(center) {}
    }

    @Test(.rule(39)) func `Only the peer that was asked can answer a question`() async throws {
        let network = ScriptedNetwork(peers: ["asked", "other"])
        let center = try network.center()
        let (asked, other) = try (#require(network.peer("asked")), #require(network.peer("other")))
        for peer in [asked, other] {
            peer.greet()
            peer.say { $0.frame(.sync, 0) }
            #expect(peer.hear(until: .synced)?.type == .synced)
        }
        // Peers are sorted by the time of their connection.
        let peer = try #require(center.peers.first?.peer)
        let answer = Task { await center.status(of: peer, within: .seconds(20)) }
        // Not on a thread of the pool, where the question is asked.
        let heard = await onOwnThread { asked.hear(until: .status)?.body }
        let question = try #require(heard)
        let number = question.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        other.say { $0.frame(.pong, number) }
        other.say { $0.frame(.sync, 1) }
        #expect(other.hear(until: .synced)?.type == .synced)
        asked.say { frames in
            frames.frame(.report) { writer in
                writer.append(number)
                let report = try? DistributedPayload(userInfo: ["peers": [[String: Int]]()])
                (report?.bytes ?? []).withUnsafeBytes { writer.append(bytes: $0) }
            }
        }
        #expect(await answer.value?.isEmpty == true)
    }

    @Test func `A question ends with the peer that was asked`() async throws {
        let network = ScriptedNetwork(peers: ["asked"])
        let center = try network.center()
        let asked = try #require(network.peer("asked"))
        asked.greet()
        asked.say { $0.frame(.sync, 0) }
        #expect(asked.hear(until: .synced)?.type == .synced)
        let peer = try #require(center.peers.first?.peer)
        let answer = Task { await center.ping(peer, within: .seconds(100_000)) }
        _ = asked.hear(until: .ping)
        asked.say { $0.bye("leaving") }
        #expect(await answer.value == nil)
    }
}
