// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Servers that end, and come back.
@Suite("Outages of NATS servers", .serialized, .timeLimit(.minutes(5))) struct OutageTests {
    @Test(.rule(40), arguments: [SIGKILL, SIGTERM])
    func `A server restarted under load loses only what was under way, and the loss is counted`(
        signal: Int32
    ) async throws {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        let total = 30_000
        let posting = Task.detached {
            for number in 0..<total {
                try poster.post("a", number)
                if number % 50 == 0 { await Task.yield() }
            }
        }
        await notes.arrival(of: 2_000)
        server.end(signal)
        try server.start()
        try await posting.value
        // Both centers are connected again, one later than the other.
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        try poster.post("a", total)
        await until { notes.entries.last == total }
        let arrived = notes.entries
        #expect(arrived == arrived.sorted() && Set(arrived).count == arrived.count)
        #expect(arrived.count + hearer.lost == total + 1)
        #expect(hearer.problems.entries.contains { $0.contains("broke") })
        #expect(hearer.problems.entries.contains { $0.contains("again") })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `Posts without a server wait, up to a limit`()
        async throws
    {
        let server = try Server()
        var options = NATSOptions(servers: [server.url])
        options.bufferBytes = 100_000
        let (poster, hearer) = (try Member(options), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        server.end()
        await until { poster.problems.entries.contains { $0.contains("broke") } }
        var count = 0
        let error = #expect(throws: DistributedPostError.self) {
            for _ in 0..<100_000 {
                try poster.post("a", count)
                count += 1
            }
        }
        #expect(error?.code == .bufferIsFull)
        #expect(count > 100)
        try server.start()
        await until { hearer.problems.entries.contains { $0.contains("again") } }
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        try poster.post("a", count)
        await until { notes.entries.last == count }
        // Waiting posts arrive if the hearer was back before the poster; if not, they count as
        // lost.
        #expect(notes.entries.count + hearer.lost <= count + 1)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `Posts made without a server reach the observers that were there before`()
        async throws
    {
        let server = try Server()
        let (poster, hearers) = (try Member(server), try (0..<3).map { _ in try Member(server) })
        let notes = hearers.map { _ in Log<Int>() }
        let tokens = zip(hearers, notes).map { $0.numbers("a", in: $1) }
        for member in hearers + [poster] {
            await member.center.waitUntilReady(within: .seconds(60))
        }
        try poster.post("a", 0)
        for notes in notes { await notes.arrival(of: 1) }
        server.end()
        for member in hearers + [poster] {
            await until { member.problems.entries.contains { $0.contains("broke") } }
        }
        for number in 1...5_000 { try poster.post("a", number) }
        try server.start()
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        // More posts come right behind the waiting ones.
        for number in 5_001...6_000 { try poster.post("a", number) }
        for (notes, hearer) in zip(notes, hearers) {
            #expect(await notes.arrival(of: 6_001) == Array(0...6_000))
            #expect(hearer.losses.entries.isEmpty)
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(40)) func `A center is back soon, however busy Dispatch's threads are`() throws {
        let server = try Server()
        let center = try Center(transport: .nats(server.url))
        let isBack = DispatchSemaphore(value: 0)
        center.onProblem { if "\($0)".contains("again") { isBack.signal() } }
        // The blocks are far more than Dispatch has threads.
        let (blocks, isFree) = (1_000, DispatchSemaphore(value: 0))
        for _ in 0..<blocks { DispatchQueue.global().async { isFree.wait() } }
        defer { for _ in 0..<blocks { isFree.signal() } }
        server.end()
        try server.start()
        #expect(isBack.wait(timeout: .now() + .seconds(120)) == .success)
        withExtendedLifetime(center) {}
    }

    @Test(.rule(40)) func `A center may start before the server does`() async throws {
        let server = try Server()
        server.end()
        #expect(throws: NATSError.self) { try Member(server) }
        var options = NATSOptions(servers: [server.url])
        options.startsUnconnected = true
        let hearer = try Member(options)
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        try server.start()
        let poster = try Member(server)
        await until {
            let missing = await hearer.center.waitUntilReady(within: .seconds(1))
            return missing.isEmpty
        }
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func `A poster that is not back after a break is a loss of unknown size, unless it had left`()
        async throws
    {
        let server = try Server()
        let hearer = try Member(server)
        let (staying, leaving) = (try Member(server), try Member(server))
        var vanishing: Member? = try Member(server)
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        let vanished = try #require(vanishing?.center.engineTransport as? NATSTransport).ownPeer
        let problems = try #require(vanishing).problems
        try staying.post("a", 1)
        try leaving.post("a", 2)
        try vanishing?.post("a", 3)
        await notes.arrival(of: 3)
        let left = try #require(leaving.center.engineTransport as? NATSTransport)
        left.stop()
        await until { !hearer.center.peers.contains { $0.peer.id == left.ownPeer.id } }
        server.end()
        await until { problems.entries.contains { $0.contains("broke") } }
        vanishing = nil
        try server.start()
        // On a busy machine, the one that stays may be doubted too.
        #expect(await until { hearer.losses.entries.contains { $0.peer.id == vanished.id } })
        #expect(!hearer.losses.entries.contains { $0.peer.id == left.ownPeer.id })
        #expect(hearer.losses.entries.allSatisfy { !$0.isCountKnown && $0.direction == .incoming })
        try staying.post("a", 4)
        await notes.arrival(of: 4)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A center is connected while there is a server, and not meanwhile`()
        async throws
    {
        let server = try Server()
        let member = try Member(server)
        #expect(member.center.isConnected)
        server.end()
        await until { !member.center.isConnected }
        #expect(!member.center.isConnected)
        try server.start()
        await until { member.center.isConnected }
        #expect(member.center.isConnected)
    }

    @Test(.rule(40)) func `A stopped server holds up no post for ever, and nothing is lost`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        server.stop()
        let total = 20_000
        for number in 0..<total { try poster.post("a", number) }
        server.send(SIGCONT)
        #expect(await notes.arrival(of: total) == Array(0..<total))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A post longer than the server allows is an error`() async throws {
        let server = try Server(configuration: "max_payload: 10000\n")
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        let text = String(repeating: "x", count: 10_000)
        let error = #expect(throws: DistributedPostError.self) {
            try poster.center.post(
                name: Notification.Name("a"),
                payload: DistributedPayload(userInfo: ["text": text]))
        }
        #expect(error?.code == .tooLong)
        #expect(error?.description.contains("10000") == true)
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        #expect(hearer.losses.entries.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func `An observer that ends before a break hides no loss of other observers`() async throws {
        let first = try Server(isClustered: true)
        let second = try Server(cluster: first)
        let (poster, hearer) = (try Member(second), try Member(first))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        let other = hearer.numbers("b", in: Log<Int>())
        // Servers find each other in their own time.
        await until {
            _ = await hearer.center.waitUntilReady(within: .seconds(1))
            return hearer.center.peers.count == 1
        }
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        for number in 0..<10 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 10) == Array(0..<10))
        first.stop()
        for number in 10..<500 { try poster.post("a", number) }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        // The server can't confirm the end of the subscription before it ends itself.
        other.cancel()
        first.end()
        await until { hearer.problems.entries.contains { $0.contains("again") } }
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        try poster.post("a", 500)
        await until { notes.entries.last == 500 }
        #expect(notes.entries.count < 501)
        #expect(notes.entries.count + hearer.lost == 501)
        token.cancel()
    }

    @Test(.rule(40)) func `A process whose server goes is heard by way of another`()
        async throws
    {
        let first = try Server(isClustered: true)
        let servers = [first, try Server(cluster: first), try Server(cluster: first)]
        let hearers = try servers.dropFirst().map { try Member($0) }
        var options = NATSOptions(servers: [first.url])
        options.name = "poster"
        let poster = try Member(options)
        let notes = hearers.map { _ in Log<Int>() }
        let tokens = zip(hearers, notes).map { $0.numbers("a", in: $1) }
        for hearer in hearers {
            // Servers find each other in their own time.
            await until {
                _ = await hearer.center.waitUntilReady(within: .seconds(1))
                return hearer.center.peers.count == 2
            }
            #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
        for number in 0..<1_000 { try poster.post("a", number) }
        for notes in notes { #expect(await notes.arrival(of: 1_000) == Array(0..<1_000)) }
        first.end()
        await until { poster.problems.entries.contains { $0.contains("again") } }
        for number in 1_000..<2_000 { try poster.post("a", number) }
        for (notes, hearer) in zip(notes, hearers) {
            await until { notes.entries.last == 1_999 }
            #expect(notes.entries.count + hearer.lost == 2_000)
        }
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(40)) func `Killing any of three servers at any moment leaves every loss counted`()
        async throws
    {
        let first = try Server(isClustered: true)
        let servers = [first, try Server(cluster: first), try Server(cluster: first)]
        let options = NATSOptions(servers: servers.map(\.url))
        let (poster, hearers) = (try Member(options), [try Member(options), try Member(options)])
        let notes = hearers.map { _ in Log<Int>() }
        let tokens = zip(hearers, notes).map { $0.numbers("a", in: $1) }
        func settle() async {
            for hearer in hearers {
                await until {
                    let silent = await hearer.center.waitUntilReady(within: .seconds(1))
                    return silent.isEmpty && hearer.center.peers.count == 2
                }
            }
        }
        await settle()
        let isDone = Log<Bool>()
        let posting = Task.detached {
            var number = 0
            while isDone.entries.isEmpty {
                try poster.post("a", number)
                number += 1
                // The poster is slow enough for the hearers to keep up on any machine.
                if number % 20 == 0 { try await Task.sleep(for: .milliseconds(2)) }
            }
            return number
        }
        for _ in 0..<6 {
            let goal = notes[0].entries.count + Int.random(in: 1...2_000)
            await notes[0].arrival(of: goal)
            let victim = servers.randomElement() ?? first
            victim.end(Bool.random() ? SIGKILL : SIGTERM)
            try victim.start()
            await settle()
        }
        isDone.add(true)
        let last = try await posting.value
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        await settle()
        try poster.post("a", last)
        for (notes, hearer) in zip(notes, hearers) {
            await until { notes.entries.last == last }
            let arrived = notes.entries
            #expect(arrived == arrived.sorted() && Set(arrived).count == arrived.count)
            #expect(arrived.count + hearer.lost == last + 1)
        }
        withExtendedLifetime(tokens) {}
    }
}
#endif
