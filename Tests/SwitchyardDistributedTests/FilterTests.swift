// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import SwitchyardDistributed
import TestSupport
import Testing

/// The notifications that travel to other processes, and the form in which they arrive.
@Suite("Matching between processes", .serialized, .timeLimit(.minutes(5)))
struct DistributedFilterTests {
    @Test(.rule(36), arguments: Depth.allCases)
    func `Names and objects match as in one process, and no other notification travels`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let both = try await world.member("name and object")
            let name = try await world.member("name")
            let object = try await world.member("object")
            let any = try await world.member("any")
            let nothing = try await world.member("nothing")
            try await both.observe("it", Observing("A", "x"))
            try await name.observe("it", Observing("A"))
            try await object.observe("it", Observing(nil, "x"))
            try await any.observe("it", Observing())
            let receivers = [both, name, object, any, nothing]
            _ = try await all(receivers) { try await $0.ready() }

            let topics: [(String, String?)] = [
                ("A", "x"), ("A", "y"), ("A", nil), ("B", "x"), ("B", nil), ("A", "x"),
            ]
            for (index, topic) in topics.enumerated() {
                try await poster.post(Posts(topic.0, topic.1, first: index + 1))
            }
            #expect(try await both.numbers("it", 2) == [1, 6])
            #expect(try await name.numbers("it", 4) == [1, 2, 3, 6])
            #expect(try await object.numbers("it", 3) == [1, 4, 6])
            #expect(try await any.numbers("it", 6) == [1, 2, 3, 4, 5, 6])
            #expect(
                try await any.entries("it", 6).map(\.object) == ["x", "y", nil, "x", nil, "x"])

            let id = try await poster.id
            var travelled: [UInt64] = []
            for receiver in receivers {
                let peers = try await receiver.run(.peers).peers
                travelled += peers.filter { $0.id == id }.map(\.received)
            }
            #expect(travelled == [2, 4, 3, 6, 0])
        }
    }

    @Test(.rule(36), arguments: Depth.allCases)
    func `A notification that nobody observes any more does not travel`(depth: Depth) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receiver = try await world.member("receiver")
            try await receiver.observe("A", Observing("A"))
            try await receiver.observe("B", Observing("B"))
            try await receiver.observe("B again", Observing("B"))
            try await receiver.ready()
            try await receiver.run(.end("A"))
            try await receiver.run(.end("B"))
            try await receiver.ready()
            try await poster.post(Posts("A"))
            try await poster.post(Posts("B", first: 2))
            #expect(try await receiver.numbers("B again", 1) == [2])
            #expect(try await receiver.run(.peers).peers.map(\.received) == [1])
            let peers = try await poster.run(.peers).peers
            #expect(peers.map(\.interests) == [["\"B\""]])
        }
    }

    @Test(.rule(39), arguments: Depth.allCases)
    func `A typed message arrives as one, as a notification, and undecoded`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receiver = try await world.member("receiver")
            let name = Sample.name.rawValue
            try await receiver.observe("message", Observing(kind: .message))
            try await receiver.observe("about x", Observing(nil, "x", kind: .message))
            try await receiver.observe("notification", Observing(name, kind: .notification))
            try await receiver.observe("undecoded", Observing(name))
            try await receiver.ready()
            try await poster.post(Posts("text", form: .message))
            try await poster.post(Posts("about", "x", form: .message, first: 2))

            let messages = try await receiver.entries("message", 2)
            #expect(messages.map(\.number) == [1, 2])
            #expect(messages.map(\.name) == ["text", "about"])
            #expect(try await receiver.numbers("about x", 1) == [2])
            #expect(try await receiver.numbers("notification", 2) == [1, 2])
            let undecoded = try await receiver.entries("undecoded", 2)
            #expect(undecoded.map(\.number) == [1, 2])
            #expect(undecoded.map(\.object) == [nil, "x"])
            #expect(undecoded.map(\.sequence) == [1, 2])
        }
    }

    @Test(.rule(38), arguments: Depth.allCases)
    func `The posting process hears its own posts, with itself as the sender`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let other = try await world.member("other")
            for member in [poster, other] {
                try await member.observe("it", Observing("A"))
                try await member.ready()
            }
            try await poster.post(Posts("A", count: 3))
            let own = try await poster.entries("it", 3)
            let id = try await poster.id
            #expect(own.map(\.number) == [1, 2, 3])
            #expect(own.allSatisfy { $0.sender == id && $0.sequence == 0 })
            #expect(own.allSatisfy { $0.thread != "sw-receiver" })
            let heard = try await other.entries("it", 3)
            #expect(heard.map(\.sequence) == [1, 2, 3])
            #expect(heard.allSatisfy { $0.sender == id })
        }
    }

    @Test(.rule(38), arguments: Depth.allCases)
    func
        `Delivery is on the main actor unless told otherwise, and poster means the receiving thread`(
            depth: Depth
        ) async throws
    {
        try await inWorld(depth) { world in
            let poster = try await world.member("poster")
            let receiver = try await world.member("receiver")
            for kind in [Observing.Kind.undecoded, .notification] {
                try await receiver.observe(
                    "\(kind) main", Observing("A", kind: kind, onPoster: false))
                try await receiver.observe("\(kind) poster", Observing("A", kind: kind))
            }
            try await receiver.observe("message", Observing(kind: .message, onPoster: false))
            try await receiver.ready()
            try await poster.post(Posts("A"))
            try await poster.post(Posts("A", form: .message))
            #expect(try await receiver.entries("undecoded main", 1)[0].thread == "main")
            #expect(try await receiver.entries("notification main", 1)[0].thread == "main")
            #expect(try await receiver.entries("message", 1)[0].thread == "main")
            #expect(try await receiver.entries("undecoded poster", 1)[0].thread == "sw-receiver")
            #expect(
                try await receiver.entries("notification poster", 1)[0].thread == "sw-receiver")
        }
    }

    @Test(.rule(35), arguments: [Depth.sockets, .processes])
    func `Domains hear nothing of each other, whatever their names`(
        depth: Depth
    ) async throws {
        try await inWorld(depth) { world in
            let domain = world.domain
            let names = ["", ".", "/", "..", "/..", "%2E", "ä", " ", "\n", "A", "a"].map {
                domain + $0
            }
            var members: [Member] = []
            for name in names {
                let member = try await world.member(domain: name)
                try await member.observe("it", Observing())
                members.append(member)
            }
            for (index, member) in members.enumerated() {
                try await member.ready()
                try await member.post(Posts("A", first: index))
            }
            for (index, member) in members.enumerated() {
                #expect(try await member.numbers("it", 1) == [index], "\(names[index])")
                #expect(try await member.run(.peers).peers.isEmpty, "\(names[index])")
            }
        }
    }
}
