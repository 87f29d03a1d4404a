// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

/// The network in memory and its faults, and the mesh on it.
@Suite("A network with faults", .serialized, .timeLimit(.minutes(5)))
struct NetworkFaultTests {
    private let name = Notification.Name("A")

    private func observe(
        _ center: DistributedNotificationCenter, _ log: Log<Int>
    ) async -> ObservationToken {
        let token = center.observe(undecoded: name, on: .poster) { received in
            log.add(try received.userInfo?["n"] as? Int ?? -1)
        }
        #expect(await center.waitUntilReady(within: .seconds(30)).isEmpty)
        return token
    }

    private func post(_ center: DistributedNotificationCenter, _ numbers: ClosedRange<Int>) {
        for number in numbers {
            center.post(name: name, object: nil, userInfo: ["n": number])
        }
    }

    @Test func `Centers bear their names, and those of other networks hear nothing`()
        async throws
    {
        let (one, other) = (InMemoryNetwork(), InMemoryNetwork())
        let a = try one.center(named: "a")
        let b = try one.center(named: "b")
        let c = try other.center(named: "c")
        let log = Log<Int>()
        let tokens = [await observe(b, log), await observe(c, log)]
        #expect(a.peers.map(\.peer.processName) == ["b"])
        #expect(c.peers.isEmpty)
        post(a, 1...3)
        #expect(await log.arrival(of: 3) == [1, 2, 3])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Delayed notifications come in order when they are released, and others go on`()
        async throws
    {
        let network = InMemoryNetwork()
        let centers = try ["a", "b", "c"].map { try network.center(named: $0) }
        let (toB, toC) = (Log<Int>(), Log<Int>())
        let tokens = [await observe(centers[1], toB), await observe(centers[2], toC)]
        network.hold(from: "a", to: "b")
        post(centers[0], 1...5_000)
        #expect(await toC.arrival(of: 5_000) == Array(1...5_000))
        #expect(toB.entries.isEmpty)
        // The connection in the other direction is open.
        let back = Log<Int>()
        let token = centers[0].observe(name, of: "back", on: .poster) { _ in back.add(1) }
        network.release(from: "a", to: "b")
        #expect(await toB.arrival(of: 5_000) == Array(1...5_000))
        withExtendedLifetime((tokens, token)) {}
    }

    @Test(.rule(36), arguments: [1, 2, 3, 5, 23, 24, 25, 1_000])
    func `The notifications are the same, whatever pieces the bytes come in`(
        piece: Int
    ) async throws {
        let network = InMemoryNetwork()
        network.limitPieces(from: "a", to: "b", bytes: piece)
        network.limitPieces(from: "b", to: "a", bytes: piece)
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        let (toA, toB) = (Log<Int>(), Log<Int>())
        let tokens = [await observe(a, toA), await observe(b, toB)]
        // Each center hears its own posts as well.
        post(a, 1...50)
        #expect(await toA.arrival(of: 50).count == 50)
        #expect(await toB.arrival(of: 50) == Array(1...50))
        post(b, 51...100)
        #expect(await toA.arrival(of: 100) == Array(1...100))
        #expect(await a.ping(b.ownPeer, within: .seconds(30)) != nil)
        #expect(await b.status(of: a.ownPeer, within: .seconds(30))?.first?.received == 50)
        withExtendedLifetime(tokens) {}
    }

    @Test func `Two peers are heard in the order in which the network lets them through`()
        async throws
    {
        let network = InMemoryNetwork()
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        let c = try network.center(named: "c")
        let log = Log<Int>()
        let token = await observe(c, log)
        network.hold(from: "a", to: "c")
        post(a, 1...3)
        post(b, 4...6)
        #expect(await log.arrival(of: 3) == [4, 5, 6])
        network.release(from: "a", to: "c")
        #expect(await log.arrival(of: 6) == [4, 5, 6, 1, 2, 3])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(36))
    func `Peers with a cut connection connect again, and hear later posts`()
        async throws
    {
        let network = InMemoryNetwork()
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        let log = Log<Int>()
        let token = await observe(b, log)
        for round in 1...20 {
            post(a, round...round)
            #expect(await log.arrival(of: round) == Array(1...round))
            network.disconnect("a", "b")
            // The next connection has sent nothing yet.
            await until { a.peers.first?.sent == 0 && a.peers.first?.interests?.isEmpty == false }
            #expect(await b.waitUntilReady(within: .seconds(30)).isEmpty)
        }
        withExtendedLifetime(token) {}
    }

    @Test(.rule(36))
    func `A received notification is no loss, however often connections are cut after it`()
        async throws
    {
        let network = InMemoryNetwork()
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        let losses = Log<UInt64>()
        for center in [a, b] { center.onLoss { losses.add($0.count) } }
        let log = Log<Int>()
        let token = await observe(b, log)
        for round in 0..<50 {
            let numbers = (round * 3 + 1)...(round * 3 + 3)
            post(a, numbers)
            #expect(await log.arrival(of: numbers.upperBound) == Array(1...numbers.upperBound))
            for _ in 0...(round % 4) {
                network.disconnect("a", "b")
                // The loop ends when a center has noticed the cut.
                await until { a.peers.first?.sent != 3 }
            }
            await until { a.peers.first?.sent == 0 && a.peers.first?.interests?.isEmpty == false }
            #expect(await b.waitUntilReady(within: .seconds(30)).isEmpty)
        }
        #expect(losses.entries.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(36), arguments: [1, 20, 100, 1_000, 10_000])
    func `No notification comes twice or late after a connection was cut`(
        bytes: Int
    ) async throws {
        let network = InMemoryNetwork()
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        let losses = Log<UInt64>()
        b.onLoss { losses.add($0.count) }
        let log = Log<Int>()
        let token = await observe(b, log)
        network.disconnect(from: "a", to: "b", afterBytes: bytes)
        post(a, 1...500)
        await until { a.peers.first.map { $0.sent < 500 && $0.interests != nil } == true }
        #expect(await b.waitUntilReady(within: .seconds(30)).isEmpty)
        post(a, 501...501)
        await until { log.entries.last == 501 }
        let heard = log.entries
        #expect(heard == heard.sorted() && Set(heard).count == heard.count)
        let lost = 501 - heard.count
        #expect(lost > 0)
        // Notifications on their way count too: the hearer says the last number that it received.
        await until { losses.entries.reduce(0, +) == lost }
        #expect(losses.entries.reduce(0, +) == lost)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(36), arguments: Array(stride(from: 330, to: 420, by: 6)))
    func `Losses are counted once when a connection breaks before its ends know each other`(
        bytes: Int
    ) async throws {
        let network = InMemoryNetwork()
        let a = try network.center(named: "a")
        let b = try network.center(named: "b")
        let (outgoing, incoming, log) = (Log<UInt64>(), Log<UInt64>(), Log<Int>())
        a.onLoss { if $0.direction == .outgoing { outgoing.add($0.count) } }
        b.onLoss { if $0.direction == .incoming { incoming.add($0.count) } }
        let token = await observe(b, log)
        post(a, 1...50)
        #expect(await log.arrival(of: 50).count == 50)
        network.hold(from: "a", to: "b")
        network.disconnect("a", "b")
        await until { a.peers.first?.sent != 50 }
        network.disconnect(from: "a", to: "b", afterBytes: bytes)
        post(a, 51...55)
        network.release(from: "a", to: "b")
        for center in [a, b] { #expect(await center.waitUntilReady(within: .seconds(30)).isEmpty) }
        post(a, 56...60)
        func lost(_ log: Log<UInt64>) -> Int { Int(log.entries.reduce(0, +)) }
        await until { log.entries.count + lost(outgoing) == 60 }
        await until { lost(incoming) == lost(outgoing) }
        withExtendedLifetime(token) {}
    }
}
