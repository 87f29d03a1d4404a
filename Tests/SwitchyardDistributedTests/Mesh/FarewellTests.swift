// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The number at which a poster ends: the poster's farewell, and the losses that its hearers
/// report.
@Suite("Farewells", .serialized, .timeLimit(.minutes(5)))
struct FarewellTests {
    private static let name = Notification.Name("A")

    // MARK: - The poster

    /// A center that leaves with little patience, and a peer that observes everything.
    private struct Scene {
        let network = ScriptedNetwork(peers: ["peer"])
        var center: DistributedNotificationCenter?
        let peer: ScriptedPeer
        let losses: AsyncStream<DistributedLoss>

        init(patience: Duration = .milliseconds(50), isSynced: Bool = true) throws {
            let mesh = try Mesh(
                domain: "scripted", network: network, limits: DistributedLimits(),
                patience: patience)
            let center = try DistributedNotificationCenter(transport: mesh)
            let (losses, loss) = AsyncStream.makeStream(of: DistributedLoss.self)
            center.onLoss { loss.yield($0) }
            center.onProblem { _ in }
            self.center = center
            self.losses = losses
            peer = try #require(network.peer("peer"))
            peer.greet()
            #expect(peer.hear()?.type == .hello)
            for words in ["FAREWELL", "GROUPS"] {
                let promise = try #require(peer.hear())
                #expect(promise.type == .promise)
                #expect(promise.body == Array(words.utf8))
            }
            #expect(peer.hear()?.type == .connection)
            if !isSynced { return }
            peer.say { frames in
                DistributedInterest(name: nil, object: nil).write(to: &frames, isObserved: true)
                frames.frame(.sync, 0)
            }
            #expect(peer.hear()?.type == .synced)
        }
    }

    private static func number(_ body: [UInt8]) -> UInt64 {
        body.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }

    @Test(.rule(37)) func `A poster promises a farewell, and says it behind its last notification`()
        throws
    {
        var scene = try Scene()
        for _ in 1...3 { _ = try scene.center?.post(name: Self.name, payload: .none) }
        scene.center = nil
        let frames = scene.peer.hearAll()
        #expect(frames.map(\.type) == [.notification, .notification, .notification, .farewell])
        #expect(frames.last.map { Self.number($0.body) } == 4)
    }

    @Test(.rule(37))
    func `Losses of a peer that reads nothing are counted on both sides at the end`()
        async throws
    {
        var scene = try Scene()
        let payload = try DistributedPayload(bytes: [UInt8](repeating: 7, count: 1_000))
        for _ in 1...5_000 { _ = try scene.center?.post(name: Self.name, payload: payload) }
        scene.center = nil
        let loss = try #require(await scene.losses.first { _ in true })
        #expect(loss.direction == .outgoing && loss.isCountKnown)
        let frames = scene.peer.hearAll()
        let heard = frames.count { $0.type == .notification }
        #expect(heard > 0)
        #expect(UInt64(heard) + loss.count == 5_000)
        #expect(frames.last?.type == .farewell)
        #expect(frames.last.map { Self.number($0.body) } == 5_001)
    }

    @Test(.rule(37)) func `The loss of a peer that never subscribed is of unknown size`()
        async throws
    {
        var scene = try Scene(isSynced: false)
        _ = try scene.center?.post(name: Self.name, payload: .none)
        scene.center = nil
        let loss = try #require(await scene.losses.first { _ in true })
        #expect(loss.direction == .outgoing && !loss.isCountKnown)
        // The peer can't be told a number.
        #expect(scene.peer.hearAll().isEmpty)
    }

    @Test func `A peer for which nothing was posted learns that, whatever it observes`() throws {
        var scene = try Scene(isSynced: false)
        scene.center = nil
        let frames = scene.peer.hearAll()
        #expect(frames.map(\.type) == [.farewell])
        #expect(frames.last.map { Self.number($0.body) } == 1)
    }

    // MARK: - The hearer

    /// The frames that a poster writes before it ends its connection. The loss that follows is nil
    /// for none, 0 for a gap of unknown size.
    enum Ending: CaseIterable {
        case neverPromised, wholeFarewell, cutOff, cutOffBeforeAnything, silent,
            promiseOfAnotherKind, latePromise
        case farewellWithoutPromise, shortFarewell, farewellFromTheFuture, insideOfAFrame
        case smallerFarewell, notificationBehindFarewell, byeOfThePoster, byeOfTheHearer

        var missing: UInt64? {
            switch self {
            case .neverPromised, .wholeFarewell, .promiseOfAnotherKind, .farewellWithoutPromise,
                .notificationBehindFarewell:
                nil
            case .cutOff, .smallerFarewell, .latePromise: 3
            case .cutOffBeforeAnything: 6
            case .silent, .shortFarewell, .farewellFromTheFuture, .insideOfAFrame, .byeOfThePoster,
                .byeOfTheHearer:
                0
            }
        }

        var bytes: [UInt8] {
            let promise = Raw.frame(129, Array("FAREWELL".utf8))
            let one = Raw.notification(1)
            func farewell(_ number: UInt64) -> [UInt8] { Raw.frame(.farewell, number: number) }
            return switch self {
            case .neverPromised: one
            case .wholeFarewell: promise + one + farewell(2)
            // The second farewell replaces the first: more was posted since.
            case .cutOff: promise + farewell(2) + one + farewell(5)
            case .cutOffBeforeAnything: promise + farewell(7)
            case .silent: promise + one
            case .promiseOfAnotherKind: Raw.frame(129, [1, 2, 3]) + one
            case .farewellWithoutPromise: one + farewell(9)
            case .shortFarewell: promise + one + Raw.frame(130, [1, 2, 3])
            case .farewellFromTheFuture: promise + one + farewell(.max)
            case .insideOfAFrame: promise + one + Raw.notification(2).dropLast()
            case .smallerFarewell: promise + one + farewell(5) + farewell(2)
            case .notificationBehindFarewell: promise + one + farewell(2) + Raw.notification(2)
            case .latePromise: one + promise + farewell(5)
            case .byeOfThePoster: promise + one + Raw.bytes { $0.bye("it has enough") }
            // A frame of this type is an error.
            case .byeOfTheHearer: promise + one + Raw.frame(0)
            }
        }
    }

    @Test(.rule(37), arguments: Ending.allCases)
    func `A hearer tells a whole farewell from a farewell that is cut off, and from none`(
        ending: Ending
    ) async throws {
        let network = ScriptedNetwork()
        let center = try network.center()
        let token = center.observe(undecoded: nil, on: .poster) { _ in }
        let (losses, loss) = AsyncStream.makeStream(of: DistributedLoss.self)
        center.onLoss { loss.yield($0) }
        let peer = network.call()
        peer.greet()
        #expect(peer.hear(until: .sync)?.type == .sync)
        peer.say { frames in ending.bytes.withUnsafeBytes { frames.append(bytes: $0) } }
        if ending == .byeOfTheHearer {
            #expect(peer.hear()?.type == .bye)
        } else {
            peer.hangUp()
        }
        // A second poster loses something, after the first.
        #expect(peer.hear() == nil)
        let second = network.call()
        second.greet()
        #expect(second.hear(until: .sync)?.type == .sync)
        second.say { $0.frame(.lost, 100) }
        var missing: [UInt64] = []
        for await loss in losses {
            if loss.count == 99 { break }
            #expect(loss.direction == .incoming && loss.isCountKnown == (loss.count > 0))
            missing.append(loss.count)
        }
        #expect(missing == (ending.missing.map { [$0] } ?? []))
        token.cancel()
    }

    @Test func `A silent end is no gap for a hearer that observes nothing`() async throws {
        let network = ScriptedNetwork()
        let center = try network.center()
        let (losses, loss) = AsyncStream.makeStream(of: DistributedLoss.self)
        center.onLoss { loss.yield($0) }
        for bytes in [Ending.silent.bytes, Raw.frame(.lost, number: 100)] {
            let peer = network.call()
            peer.greet()
            #expect(peer.hear(until: .sync)?.type == .sync)
            peer.say { frames in bytes.withUnsafeBytes { frames.append(bytes: $0) } }
            peer.hangUp()
        }
        #expect(await losses.first { _ in true }?.count == 99)
        withExtendedLifetime(center) {}
    }

    @Test(arguments: [
        (DistributedLoss.Direction.incoming, UInt64(1), "1 notification from a (5) was lost"),
        (.incoming, 2, "2 notifications from a (5) were lost"),
        (.incoming, 0, "notifications from a (5) may be lost, how many is not known"),
        (.outgoing, 1, "1 notification to a (5) was lost"),
        (.outgoing, 0, "notifications to a (5) may be lost, how many is not known"),
    ])
    func `A loss is described with its number, or says that this is not known`(
        direction: DistributedLoss.Direction, count: UInt64, words: String
    ) {
        let peer = DistributedPeer(id: "x", processIdentifier: 5, processName: "a")
        let loss = DistributedLoss(peer: peer, direction: direction, count: count)
        #expect(loss.description.hasPrefix(words), "\(loss)")
    }
}
