// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Centers that leave while posts wait.
@Suite("Leaving a NATS server", .serialized, .timeLimit(.minutes(5))) struct LeavingTests {
    private func transport(of member: Member?) throws -> NATSTransport {
        try #require(member?.center.engineTransport as? NATSTransport)
    }

    @Test(.rule(40)) func `Observers here hear posts also after the center has left`() async throws
    {
        let server = try Server()
        let member = try Member(server)
        let notes = Log<Int>()
        let tokens = [
            member.numbers("a", in: notes),
            member.center.answer(Double.self, on: .poster) { $0.number * 2 },
        ]
        await member.center.waitUntilReady(within: .seconds(60))
        #expect(member.center.leave() == [])
        try member.post("a", 1)
        try member.post("a", 2)
        #expect(notes.entries == [1, 2])
        let reply = try await member.center.request(Double(number: 4), within: .seconds(60))
        #expect(reply == 8)
        #expect(member.problems.entries.filter { $0.contains("had left NATS") }.count == 1)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(40, 46)) func `A member here hears a job also after the center has left`()
        async throws
    {
        let server = try Server()
        let (member, other) = (try Member(server), try Member(server))
        let (own, others) = (Log<Int>(), Log<Int>())
        let tokens = [(member, own), (other, others)].map { member, log in
            member.center.observe(
                undecoded: Notification.Name("job"), on: .poster,
                options: .standard.inGroup("workers")
            ) { log.add((try $0.userInfo?["n"] as? Int) ?? -1) }
        }
        for member in [member, other] {
            #expect(await member.center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
        await until { member.center.peers.count == 1 }
        _ = member.center.leave()
        for number in 0..<10 { try member.post("job", number) }
        #expect(await own.arrival(of: 10) == Array(0..<10))
        #expect(others.entries == [])
        for token in tokens { token.cancel() }
    }

    private struct Double: DistributedRequest {
        static let name = Notification.Name("org.example.Double")
        typealias Reply = Int
        var number = 0
    }

    @Test(.rule(40)) func `Posts that wait for other processes are sent when the center leaves`()
        async throws
    {
        let server = try Server()
        let hearer = try Member(server)
        var poster: Member? = try Member(server)
        let losses = try #require(poster?.losses)
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        // This process never comes back, and would be waited for.
        let gone = PeerAnnouncement(
            DistributedPeer(id: "00000000000000aa", processIdentifier: 1, processName: "gone"),
            interests: [], published: 0, others: nil)
        let transport = try transport(of: poster)
        let isNew = transport.peerTable.withLock { $0.receive(gone) }
        #expect(isNew)
        server.end()
        for member in [poster, hearer] {
            await until { member?.problems.entries.contains { $0.contains("broke") } == true }
        }
        for number in 0..<5 { try poster?.post("a", number) }
        try server.start()
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        await until { transport.isConnected }
        poster = nil
        #expect(await notes.arrival(of: 5) == Array(0..<5))
        await until { transport.session == nil }
        #expect(losses.entries.isEmpty)
        token.cancel()
    }

    @Test(.rule(40)) func `Posts without a connection are given up once, and never sent`()
        async throws
    {
        let server = try Server()
        let (hearer, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        server.end()
        for member in [poster, hearer] {
            await until { member.problems.entries.contains { $0.contains("broke") } }
        }
        for number in 0..<5 { try poster.post("a", number) }
        let losses = poster.center.leave()
        #expect(losses.map(\.count) == [5])
        try server.start()
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        let transport = try transport(of: poster)
        await until { transport.intake == nil }
        let last = try Member(server)
        try last.post("a", 5)
        #expect(await notes.arrival(of: 1) == [5])
        #expect(poster.losses.entries.map(\.count) == [5])
        token.cancel()
    }

    @Test(.rule(40), arguments: [true, false])
    func `A center that leaves a silent server tells of posts that it may not have taken`(
        wereTaken: Bool
    ) async throws {
        let server = try Server()
        var poster: Member? = try Member(server)
        let losses = try #require(poster?.losses)
        let transport = try transport(of: poster)
        for number in 0..<5 { try poster?.post("a", number) }
        #expect(await poster?.center.waitUntilFlushed(within: .seconds(60)).isEmpty == true)
        server.stop()
        if !wereTaken { try poster?.post("a", 5) }
        poster = nil
        await until { transport.intake == nil }
        #expect(losses.entries.map(\.isCountKnown) == (wereTaken ? [] : [false]))
        #expect(losses.entries.allSatisfy { $0.direction == .outgoing })
    }

    @Test(.rule(40)) func `A server that ends while a center leaves it hides no loss`()
        async throws
    {
        let server = try Server()
        var poster: Member? = try Member(server)
        let losses = try #require(poster?.losses)
        let transport = try transport(of: poster)
        await poster?.center.waitUntilFlushed(within: .seconds(60))
        server.stop()
        try poster?.post("a", 0)
        poster = nil
        server.end()
        await until { transport.intake == nil }
        #expect(losses.entries.map(\.isCountKnown) == [false])
    }

    @Test(.rule(40)) func `A hook that hears of a center's last losses can't post any more`()
        async throws
    {
        let server = try Server()
        let poster = try Member(server)
        server.end()
        await until { poster.problems.entries.contains { $0.contains("broke") } }
        let dropped = Log<Int?>()
        poster.center.onLoss { [weak poster] _ in
            dropped.add(try? poster?.post("a", 1).dropped)
        }
        try poster.post("a", 0)
        #expect(poster.center.leave().map(\.count) == [1])
        #expect(dropped.entries == [1])
    }

    @Test(.rule(40)) func `Nothing is posted once the losses of an exit have been counted`()
        async throws
    {
        let server = try Server()
        let poster = try Member(server)
        let transport = try transport(of: poster)
        transport.leaveStream(isThrough: true, within: .zero)
        #expect(try poster.post("a", 0).dropped == 1)
    }

    @Test(.rule(40)) func `A cancelled task does not go on waiting for a silent server`()
        async throws
    {
        let server = try Server()
        let poster = try Member(server)
        server.stop()
        try poster.post("a", 1)
        let (waiting, began) = AsyncStream<Void>.makeStream()
        let task = Task {
            began.yield()
            return await poster.center.waitUntilFlushed(within: .seconds(86_400))
        }
        for await _ in waiting { break }
        task.cancel()
        #expect(await task.value.count == 1)
    }

    @Test(.rule(40)) func `A handler on the connection's thread may exit behind its posts`()
        async throws
    {
        let server = try Server()
        let hearer = try Member(server)
        let notes = Log<Int>()
        let token = hearer.numbers("answer", in: notes)
        let asking = Task {
            // The process may not have begun to hear.
            while notes.entries.isEmpty, !Task.isCancelled {
                try hearer.post("question", 0)
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        await #expect(processExitsWith: .exitCode(17)) { [url = server.url as String] in
            let member = try Member(NATSOptions(servers: [url]))
            let token = member.center.observe(undecoded: .init("question"), on: .poster) { _ in
                for number in 0..<3_000 { try member.post("answer", number) }
                exit(17)
            }
            await until { false }
            token.cancel()
        }
        #expect(await notes.arrival(of: 3_000) == Array(0..<3_000))
        #expect(hearer.losses.entries.isEmpty)
        asking.cancel()
        token.cancel()
    }

    @Test(.rule(40)) func `A transport goes with its center while it connects again`()
        async throws
    {
        let server = try Server()
        for _ in 0..<20 {
            var member: Member? = try Member(server)
            weak let transport = try transport(of: member)
            server.end()
            await until { member?.problems.entries.contains { $0.contains("broke") } == true }
            let starting = Task.detached { try server.start() }
            // Another moment of the attempt each time.
            for _ in 0..<Int.random(in: 0...20_000) { await Task.yield() }
            member = nil
            try await starting.value
            await until { transport == nil }
        }
    }
}
#endif
