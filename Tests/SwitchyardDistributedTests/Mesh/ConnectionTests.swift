// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import SwitchyardDistributed
import SwitchyardDistributedTesting
import SwitchyardWire
import Synchronization
import TestSupport
import Testing

/// A center's threads with many connections, and with few descriptors.
@Suite("Connections between processes", .serialized, .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test func `A process refused for want of descriptors is let in once there are some`() throws {
        let network = ScriptedNetwork()
        network.fail(with: [-EMFILE, -EMFILE])
        let center = try network.center()
        let peer = network.call()
        peer.greet()
        #expect(peer.hear()?.type == .hello)
        withExtendedLifetime(center) {}
    }

    @Test func `Many peers that connect at once, and say hello, are all let in`() throws {
        let network = ScriptedNetwork()
        let peers = (0..<260).map { _ in network.call() }
        for peer in peers { peer.greet() }
        let center = try network.center()
        for peer in peers { #expect(peer.hear()?.type == .hello) }
        withExtendedLifetime(center) {}
    }

    @Test(.rule(36)) func `A burst to one peer does not hold up mail for another`()
        throws
    {
        let network = ScriptedNetwork(peers: ["busy", "blocked"])
        let center = try network.center()
        let busy = try #require(network.peer("busy"))
        let blocked = try #require(network.peer("blocked"))
        for (peer, name) in [(busy, "Burst"), (blocked, "Big")] {
            peer.greet()
            peer.say { frames in
                DistributedInterest(name: name, object: nil).write(to: &frames, isObserved: true)
                frames.frame(.sync, 0)
            }
            #expect(peer.hear(until: .synced)?.type == .synced)
        }
        // The writer finds the connection full.
        let isFull = DispatchSemaphore(value: 0)
        let bursts = Atomic<Int>(0)
        let sendsToBlocked = Atomic<Int>(0)
        let poster = UInt(pthread_self())
        network.onSend.withLock { hook in
            hook = { descriptor in
                if descriptor == blocked.other {
                    if bursts.load(ordering: .relaxed) > 0 {
                        sendsToBlocked.wrappingAdd(1, ordering: .relaxed)
                    }
                    let isPoster = UInt(pthread_self()) == poster
                    if !isPoster, bursts.load(ordering: .relaxed) == 0 {
                        defer { isFull.signal() }
                        return -Int(EAGAIN)
                    }
                    return isPoster ? -Int(EAGAIN) : nil
                }
                // The writer alone gets here: other threads hold the lock.
                guard descriptor == busy.other, UInt(pthread_self()) != poster else {
                    return descriptor == busy.other ? -Int(EAGAIN) : nil
                }
                busy.drain()
                let count = bursts.wrappingAdd(1, ordering: .relaxed).newValue
                if count < 2_000, sendsToBlocked.load(ordering: .relaxed) == 0 {
                    center.post(name: Notification.Name("Burst"), object: nil)
                }
                return nil
            }
        }
        center.post(name: Notification.Name("Big"), object: nil)
        isFull.wait()
        center.post(name: Notification.Name("Burst"), object: nil)
        #expect(blocked.hear(until: .notification)?.type == .notification)
        #expect(bursts.load(ordering: .relaxed) < 2_000)
        network.onSend.withLock { $0 = nil }
    }

    @Test(.rule(36)) func `Data that comes too early costs no later post`() throws {
        let network = ScriptedNetwork(peers: ["late"])
        let center = try network.center()
        let late = try #require(network.peer("late"))
        let large = try DistributedPayload(bytes: [UInt8](repeating: 0, count: 1 << 20))
        for _ in 0..<6 { _ = try center.post(name: Notification.Name("Other"), payload: large) }
        for _ in 0..<3 { _ = try center.post(name: Notification.Name("Wanted"), payload: .none) }
        late.greet()
        late.say { frames in
            DistributedInterest(name: "Wanted", object: nil).write(to: &frames, isObserved: true)
            frames.frame(.sync, 0)
        }
        #expect(late.hear(until: .synced)?.type == .synced)
        // A post that the peer would not have heard is no loss.
        #expect(center.peers.first?.lost == 3)
        // Each later post goes to the writer.
        let poster = UInt(pthread_self())
        network.onSend.withLock { hook in
            hook = { _ in UInt(pthread_self()) == poster ? -Int(EAGAIN) : nil }
        }
        var dropped = 0
        for _ in 0..<10_000 {
            let receipt = try center.post(name: Notification.Name("Wanted"), payload: .none)
            dropped += receipt.dropped
        }
        #expect(dropped == 0)
        network.onSend.withLock { $0 = nil }
    }
}
