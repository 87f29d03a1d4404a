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

/// Centers on servers of their own.
@Suite("Centers on a NATS cluster", .serialized, .timeLimit(.minutes(5))) struct ClusterTests {
    // Sendable: nobody changes it.
    private struct Info: @unchecked Sendable {
        let values: [AnyHashable: Any]
        init(_ values: [AnyHashable: Any]?) { self.values = values ?? [:] }
    }

    struct Added: DistributedMessage {
        static let name = Notification.Name("org.example.Added")
        var format: String
        var pages: Int
    }

    @Test(.rule(40)) func `Notifications and messages reach other processes, and this one`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<String>()
        func note(_ who: String) -> @Sendable (Notification) -> Void {
            { note in
                let info = (note.userInfo ?? [:]).map { "\($0)=\($1)" }.sorted()
                notes.add("\(who) \(note.name.rawValue) \(note.object as? String ?? "-") \(info)")
            }
        }
        let tokens = [
            hearer.center.observe(Notification.Name("saved"), on: .poster, using: note("far")),
            poster.center.observe(Notification.Name("saved"), on: .poster, using: note("near")),
        ]
        let messages = Log<Added>()
        let typed = hearer.center.observe(Added.self, on: .poster) { messages.add($0) }
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        poster.center.post(name: Notification.Name("saved"), object: "text", userInfo: ["n": 1])
        poster.center.post(name: Notification.Name("saved"), object: nil, userInfo: nil)
        try poster.center.post(Added(format: "RTF", pages: 3), subject: "text")
        #expect(await messages.arrival(of: 1).map(\.pages) == [3])
        let near = notes.entries.filter { $0.hasPrefix("near") }
        #expect(near == ["near saved text [\"n=1\"]", "near saved - []"])
        let far = notes.entries.filter { $0.hasPrefix("far") }
        #expect(far == ["far saved text [\"n=1\"]", "far saved - []"])
        withExtendedLifetime((tokens, typed)) {}
    }

    @Test(.rule(40)) func `Property-list values arrive as they were posted`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let infos = Log<Info>()
        let token = hearer.center.observe(Notification.Name("info"), on: .poster) { note in
            infos.add(Info(note.userInfo))
        }
        await hearer.center.waitUntilReady(within: .seconds(60))
        let plain: [AnyHashable: Any] = [
            "int": 1, "large": Int.max, "double": 1.0, "half": 0.5, "flag": true, "text": "\"ü\"\n",
            "list": [1, 2.0, "three", false] as [Any], "inside": ["key": ["deep": -1]],
        ]
        let date = Date(timeIntervalSinceReferenceDate: 0.123_456_789)
        let other: [AnyHashable: Any] = [
            "date": date, "data": Data([0, 255]), "float": Float(0.1),
        ]
        poster.center.post(name: Notification.Name("info"), object: nil, userInfo: plain)
        poster.center.post(name: Notification.Name("info"), object: nil, userInfo: other)
        let arrived = await infos.arrival(of: 2)
        #expect(arrived.first?.values as NSDictionary? == plain as NSDictionary)
        #expect(arrived.first?.values["int"] is Int)
        #expect(arrived.first?.values["double"] is Double)
        #expect(arrived.last?.values as NSDictionary? == other as NSDictionary)
        #expect(arrived.last?.values["date"] as? Date == date)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `The posts of one process arrive in order, whatever their names`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let tokens = (0..<5).map { hearer.numbers("name.\($0)", in: notes) }
        await hearer.center.waitUntilReady(within: .seconds(60))
        for number in 0..<20_000 {
            try poster.post("name.\(number * 7 % 5)", object: number % 3 == 0 ? "x" : nil, number)
        }
        #expect(await notes.arrival(of: 20_000) == Array(0..<20_000))
        #expect(hearer.losses.entries.isEmpty && hearer.problems.entries.isEmpty)
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(40)) func `Each of several observers of one process hears a notification once`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = (0..<4).map { _ in Log<Int>() }
        let tokens = [
            hearer.numbers("a", in: notes[0]), hearer.numbers("a", of: "x", in: notes[1]),
            hearer.numbers(nil, of: "x", in: notes[2]), hearer.numbers(nil, in: notes[3]),
        ]
        await hearer.center.waitUntilReady(within: .seconds(60))
        try poster.post("a", object: "x", 1)
        try poster.post("a", object: "y", 2)
        try poster.post("b", object: "x", 3)
        try poster.post("b", 4)
        #expect(await notes[3].arrival(of: 4) == [1, 2, 3, 4])
        #expect(notes[0].entries == [1, 2])
        #expect(notes[1].entries == [1])
        #expect(notes[2].entries == [1, 3])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(40)) func `Nothing is lost or comes twice while observers come and go`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", of: "x", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        let end = Log<Int>()
        let posting = Task.detached {
            for number in 0..<20_000 {
                try poster.post("a", object: "x", number)
                if number % 100 == 0 { await Task.yield() }
            }
            end.add(1)
        }
        let ignored = Log<Int>()
        while end.entries.isEmpty {
            // Each observer changes the subscriptions: to more, and back.
            for observed in [("a", nil), (nil, "x"), (nil, nil)] as [(String?, String?)] {
                let other = hearer.numbers(observed.0, of: observed.1, in: ignored)
                await hearer.center.waitUntilReady(within: .seconds(60))
                other.cancel()
            }
        }
        try await posting.value
        let arrived = await notes.arrival(of: 20_000)
        #expect(arrived.count == 20_000)
        #expect(arrived == Array(0..<20_000))
        #expect(hearer.losses.entries.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func `Notifications about any number of objects arrive in order, and none counts as lost`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = hearer.numbers("a", in: notes)
        await hearer.center.waitUntilReady(within: .seconds(60))
        // The posts have more topics than the transport keeps ready messages for.
        for number in 0..<3_000 { try poster.post("a", object: "\(number % 1_000)", number) }
        #expect(await notes.arrival(of: 3_000) == Array(0..<3_000))
        #expect(hearer.losses.entries.isEmpty)
        let status = hearer.center.peers.first { $0.peer.id == poster.center.ownPeer.id }
        #expect(status?.received == 3_000 && status?.missed == 0)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `Centers of other domains hear nothing`() async throws {
        let server = try Server()
        let poster = try Member(server, domain: "one")
        let same = try Member(server, domain: "one")
        let other = try Member(server, domain: "one.two")
        let (heard, unheard) = (Log<Int>(), Log<Int>())
        let tokens = [same.numbers(nil, in: heard), other.numbers(nil, in: unheard)]
        await same.center.waitUntilReady(within: .seconds(60))
        await other.center.waitUntilReady(within: .seconds(60))
        try poster.post("a", object: "two", 1)
        #expect(await heard.arrival(of: 1) == [1])
        await other.center.waitUntilReady(within: .seconds(60))
        #expect(unheard.entries.isEmpty)
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(40)) func `A process that has gone, with a word or without, is known to have`()
        async throws
    {
        let server = try Server()
        let a = try Member(server)
        var b: Member? = try Member(server)
        await until { a.center.peers.count == 1 }
        let peer = try #require(b?.center.ownPeer)
        b = nil
        await until { a.center.peers.isEmpty }
        // A ping of a peer that has gone ends at once: the server says that no process subscribes.
        #expect(await a.center.ping(peer, within: .seconds(60)) == nil)
        #expect(await a.center.waitUntilReady(within: .seconds(60)).isEmpty)
    }

    @Test(.rule(40)) func `Processes know each other, answer, and say what they received`()
        async throws
    {
        let server = try Server()
        let (a, b) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = b.numbers("a", in: notes)
        await b.center.waitUntilReady(within: .seconds(60))
        await until { !a.center.peers.isEmpty }
        #expect(a.center.peers.map(\.peer) == [b.center.ownPeer])
        #expect(await a.center.ping(b.center.ownPeer, within: .seconds(60)) != nil)
        for number in 0..<10 { try a.post("a", number) }
        await notes.arrival(of: 10)
        let status = await a.center.status(of: b.center.ownPeer, within: .seconds(60))
        #expect(status?.map(\.received) == [10])
        await a.center.waitUntilReady(within: .seconds(60))
        #expect(a.center.peers.first?.interests == [DistributedInterest(name: "a", object: nil)])
        withExtendedLifetime(token) {}
    }
}
#endif
