// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import SwitchyardCore
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// A member that leaves: its frames, the posts that it takes, and connections that break meanwhile.
@Suite("Departures of members", .serialized, .timeLimit(.minutes(5)))
struct LeavingTests {
    private static let name = Notification.Name("A")

    private static func number(_ body: [UInt8]) -> UInt64 {
        body.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    /// A center and its mesh, and a peer that observes everything.
    private struct Scene {
        let network = ScriptedNetwork(peers: ["peer"])
        let mesh: Mesh
        let center: DistributedNotificationCenter
        let peer: ScriptedPeer
        let losses = Log<DistributedLoss>()
        let problems = Log<String>()

        init(patience: Duration = .seconds(60)) throws {
            mesh = try Mesh(
                domain: "scripted", network: network, limits: DistributedLimits(),
                patience: patience)
            center = try DistributedNotificationCenter(transport: mesh)
            center.onLoss { [losses] in losses.add($0) }
            center.onProblem { [problems] in problems.add("\($0)") }
            peer = try #require(network.peer("peer"))
            peer.greet()
            Self.wantAll(peer)
            #expect(peer.hear(until: .synced)?.type == .synced)
        }

        static func wantAll(_ peer: ScriptedPeer, heard: UInt64? = nil) {
            peer.say { frames in
                if let heard { frames.frame(.heard, heard) }
                DistributedInterest(name: nil, object: nil).write(to: &frames, isObserved: true)
                frames.frame(.sync, 0)
            }
        }
    }

    // MARK: - The number at which a member ends

    @Test(.rule(37)) func `A post after the farewell is refused, and the farewell stands`()
        throws
    {
        let scene = try Scene()
        _ = try scene.center.post(name: Self.name, payload: .none)
        scene.mesh.beginLeaving()
        #expect(scene.peer.hear()?.type == .notification)
        #expect(scene.peer.hear().map { Self.number($0.body) } == 2)
        for _ in 1...2 {
            let receipt = try scene.center.post(name: Self.name, payload: .none)
            #expect(receipt.dropped == 1 && receipt.queued == 0)
        }
        // The problem is reported once, not for each post.
        let told = scene.problems.entries.filter { $0.contains("had begun to leave") }
        #expect(told.count == 1)
        scene.mesh.beginLeaving()
        scene.mesh.stop()
        #expect(scene.peer.hear() == nil)
        #expect(scene.losses.entries.isEmpty)
        // At the end of an exit, other threads may post when all connections are closed.
        let receipt = try scene.center.post(name: Self.name, payload: .none)
        #expect(receipt.dropped == 1 && receipt.queued == 0)
    }

    @Test(.rule(37))
    func `Nothing is written after the last farewell, whichever thread posts and writes`()
        throws
    {
        for _ in 0..<100 {
            let scene = try Scene()
            let hasBegun = DispatchSemaphore(value: 0)
            let isOver = Atomic<Bool>(false)
            let ended = DispatchGroup()
            for _ in 0..<3 {
                let thread = Thread { [center = scene.center] in
                    while !isOver.load(ordering: .relaxed) {
                        _ = try? center.post(name: Self.name, payload: .none)
                        hasBegun.signal()
                    }
                    ended.leave()
                }
                ended.enter()
                thread.start()
            }
            for _ in 0..<100 { hasBegun.wait() }
            scene.mesh.stop()
            isOver.store(true, ordering: .relaxed)
            ended.wait()
            let frames = scene.peer.hearAll()
            #expect(frames.last?.type == .farewell)
            let posted = frames.filter { $0.type == .notification }.count
            let lost = scene.losses.entries.reduce(0) { $0 + $1.count }
            #expect(frames.last.map { Self.number($0.body) } == UInt64(posted) + lost + 1)
            #expect(frames.count { $0.type == .farewell } == 1)
        }
    }

    @Test(.rule(37)) func `Leaving ends after its limit, also for peers that keep reading`() throws
    {
        let scene = try Scene()
        scene.network.onSend.withLock { $0 = { _ in -Int(EAGAIN) } }
        _ = try scene.center.post(name: Self.name, payload: .none)
        let start = ContinuousClock.now
        var departure = scene.mesh.beginDeparture(at: start)
        // The departure takes the peer for one that has just read: it has not looked before.
        let mustWait = scene.mesh.mustWait(
            in: &departure, at: start + Departure.longest - .seconds(1))
        #expect(mustWait)
        var late = scene.mesh.beginDeparture(at: start)
        let mustStillWait = scene.mesh.mustWait(in: &late, at: start + Departure.longest)
        #expect(!mustStillWait)
        scene.network.onSend.withLock { $0 = nil }
        scene.mesh.stop()
    }

    @Test(.rule(37))
    func `A process whose threads go on posting exits, and its hearers know the number`()
        async throws
    {
        try await inWorld(.processes) { world in
            let hearer = try await world.member("hearer")
            let poster = try await world.member("poster")
            try await hearer.observe("all", Observing("A", onlyCounts: true))
            try await hearer.ready()
            // The stream waits for no peer.
            try await poster.run(.stream(Posts("A", count: 100, size: 1_000), minding: ["nobody"]))
            _ = try await hearer.run(.tally("all", atLeast: 1_000))
            let process = try #require(poster.process)
            #expect(await onOwnThread { process.finish() } == 0)
            _ = try await hearer.run(.peersLeft(atMost: 0))
            // A gap of unknown size would have no count.
            let losses = try await hearer.run(.losses(incoming: 0, outgoing: 0)).losses
            #expect(losses.allSatisfy { $0.count > 0 })
        }
    }

    // MARK: - Connections that break while a member leaves

    @Test(.rule(37))
    func `A leaving process waits for a peer that connects anew, and counts its losses`()
        async throws
    {
        let scene = try Scene()
        for _ in 1...5 { _ = try scene.center.post(name: Self.name, payload: .none) }
        #expect(scene.peer.hear(until: .notification)?.type == .notification)
        var departure = scene.mesh.beginDeparture()
        scene.network.readmit("peer")
        scene.peer.hangUp()
        #expect(await until { scene.network.peer("peer") != nil })
        // All frames were written, and the number of those that were heard is not known.
        let mustWait = scene.mesh.mustWait(in: &departure)
        #expect(mustWait)
        let again = try #require(scene.network.peer("peer"))
        again.greet()
        Scene.wantAll(again, heard: 2)
        #expect(again.hear(until: .synced)?.type == .synced)
        scene.mesh.blockUntilSettled(within: .seconds(60))
        let mustStillWait = scene.mesh.mustWait(in: &departure)
        #expect(!mustStillWait)
        scene.mesh.stop()
        let frames = again.hearAll()
        #expect(Set(frames.map(\.type)) == [.farewell, .lost])
        #expect(frames.allSatisfy { Self.number($0.body) == 4 })
        #expect(scene.losses.entries.map(\.count) == [3])
    }

    @Test(.rule(37))
    func `The loss of a peer whose connection broke names that as its reason`()
        async throws
    {
        for isBack in [true, false] {
            let scene = try Scene()
            _ = try scene.center.post(name: Self.name, payload: .none)
            #expect(scene.peer.hear(until: .notification)?.type == .notification)
            if isBack { scene.network.readmit("peer") }
            scene.network.isBusy.withLock { $0 = !isBack }
            scene.peer.hangUp()
            #expect(await until { scene.network.dialled.count >= 2 })
            scene.mesh.stop()
            let loss = try #require(scene.losses.entries.first)
            #expect(loss.direction == .outgoing && !loss.isCountKnown)
            #expect(loss.description.contains("the connection to it broke"))
            #expect(!loss.description.contains("what it observes"))
        }
    }

    @Test(.rule(37))
    func `HEARD after a farewell that was cut off names what came, and no loss counts twice`()
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
        let one = Raw.notification(1)
        first.say { frames in
            Farewell.writePromise(to: &frames)
            one.withUnsafeBytes { frames.append(bytes: $0) }
            frames.frame(.farewell, 7)
        }
        first.hangUp()
        #expect(first.hear() == nil)
        let second = network.call()
        second.greet(id: id, address: id.description)
        #expect(second.hear(until: .heard).map { Self.number($0.body) } == 1)
        #expect(losses.entries.isEmpty)
        second.say { frames in
            Farewell.writePromise(to: &frames)
            frames.frame(.lost, 6)
            frames.frame(.farewell, 6)
        }
        second.hangUp()
        #expect(await losses.arrival(of: 1).map(\.count) == [5])
        token.cancel()
    }

    @Test(.rule(36))
    func
        `A poster that connects anew is told what came, also while its first connection stays open`()
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
            Farewell.writePromise(to: &frames)
            for number in 1...3 {
                Raw.notification(UInt64(number)).withUnsafeBytes { frames.append(bytes: $0) }
            }
        }
        // The second connection breaks before it brings anything. The third is told the same.
        for _ in 1...2 {
            let next = network.call()
            next.greet(id: id, address: id.description)
            #expect(next.hear(until: .heard).map { Self.number($0.body) } == 3)
            next.hangUp()
            _ = next.hearAll()
        }
        let third = network.call()
        third.greet(id: id, address: id.description)
        #expect(third.hear(until: .heard).map { Self.number($0.body) } == 3)
        // The poster knows that number now, so the next one is that of the third connection.
        third.say { $0.frame(.synced, 0) }
        third.say { $0.frame(.ping, 1) }
        #expect(third.hear(until: .pong)?.type == .pong)
        for end in [first, third] {
            end.hangUp()
            _ = end.hearAll()
        }
        let last = network.call()
        last.greet(id: id, address: id.description)
        #expect(last.hear(until: .heard).map { Self.number($0.body) } == 0)
        #expect(losses.entries.isEmpty)
        token.cancel()
    }

    @Test(.rule(37)) func `A poster's losses at its farewell are reported when it has gone`()
        async throws
    {
        let id = PeerID.random()
        let network = ScriptedNetwork(peers: [id.description])
        let center = try network.center()
        let losses = Log<DistributedLoss>()
        center.onLoss { losses.add($0) }
        let token = center.observe(undecoded: nil, on: .poster) { _ in }
        let poster = network.call()
        poster.greet(id: id, address: id.description)
        #expect(poster.hear(until: .sync)?.type == .sync)
        #expect(await until { network.peer(id.description) != nil })
        poster.say { frames in
            Farewell.writePromise(to: &frames)
            frames.frame(.farewell, 7)
        }
        poster.hangUp()
        #expect(poster.hear() == nil)
        network.peer(id.description)?.hangUp()
        #expect(await losses.arrival(of: 1).map(\.count) == [6])
        token.cancel()
    }
}
