// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import DistributedProbe
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Peers that break the protocol, beside peers that keep to it and are not disturbed.
@Suite("Hostile peers of a process", .serialized, .timeLimit(.minutes(5)))
struct HostileProcessTests {
    /// A member under attack, the victim, and a friend that posts to it.
    private struct Scene: Sendable {
        let world: World
        let victim: Member
        let friend: Member
        let address: String
        var count = 0

        var folder: String { "\(world.folder)/switchyard/\(world.domain)" }

        func connect() throws -> RawPeer { try RawPeer.connect(to: "\(folder)/\(address)") }

        /// A connection with a proper greeting.
        func greeted() throws -> RawPeer {
            let peer = try connect()
            peer.send(Raw.greeting(world.domain))
            #expect(!peer.frames(until: .sync).isEmpty)
            return peer
        }

        /// Checks that the victim hears the friend, who has lost nothing.
        mutating func checkFriendship() async throws {
            count += 10
            try await friend.post(Posts("A", count: 10, first: count - 9))
            let id = try await friend.id
            let tallies = try await victim.run(.tallyUpTo("friend", [id: count])).tallies
            let tally = tallies.first { $0.sender == id }
            #expect(tally?.count == count && tally?.missing == 0 && tally?.disorder == 0)
        }

        /// Checks that the victim takes at most so many KiB more than before. ThreadSanitizer takes
        /// more for itself.
        func checkMemory(
            grewAtMost limit: Int, since before: Costs,
            sourceLocation: Testing.SourceLocation = #_sourceLocation
        ) async throws {
            let after = try #require(
                try await victim.run(.costs).costs, sourceLocation: sourceLocation)
            let growth = after.residentMemory - before.residentMemory
            #expect(isThreadSanitized || growth <= limit, sourceLocation: sourceLocation)
        }

        func problem(_ text: String) async throws -> Bool {
            try await victim.run(.problems(containing: text)).texts.contains { $0.contains(text) }
        }
    }

    private func withScene(
        limits: DistributedLimits = DistributedLimits(), _ body: (inout Scene) async throws -> Void
    ) async throws {
        try await inWorld(.processes) { world in
            let victim = try await world.member("victim", limits: limits)
            let friend = try await world.member("friend", limits: limits)
            try await victim.observe("friend", Observing("A", onlyCounts: true))
            try await victim.ready()
            try await friend.ready()
            var scene = Scene(
                world: world, victim: victim, friend: friend, address: try await victim.id)
            try await scene.checkFriendship()
            try await body(&scene)
            try await scene.checkFriendship()
            // The two members alone are left, once the victim has tried the other addresses again.
            #expect(try await victim.run(.peersLeft(atMost: 1)).peers.count == 1)
        }
    }

    // MARK: - Before a greeting

    static let rubbish: [(String, [UInt8])] = [
        ("text", Array("GET / HTTP/1.1\r\n\r\n".utf8)),
        ("zeros", [UInt8](repeating: 0, count: 100)),
        ("ones", [UInt8](repeating: 0xff, count: 100_000)),
        ("a huge length", [0xff, 0xff, 0xff, 0x7f, 1]),
        ("a length just too long", [0x01, 0x10, 0, 0, 1]),
        ("a frame that is no greeting", Raw.frame(.ping, number: 1)),
        ("a notification", Raw.notification(1)),
        ("a greeting cut short", Raw.frame(1, Array("SWITCHYD".utf8))),
        ("another protocol", Raw.frame(1, Array("SOMETHING ELSE ENTIRELY, BUT LONG ENOUGH".utf8))),
    ]

    @Test(.rule(39))
    func `A malformed greeting ends the connection, with the reason on both sides`()
        async throws
    {
        try await withScene { scene in
            for (name, bytes) in Self.rubbish {
                let connect = scene.connect
                let farewell = try await onOwnThread {
                    let peer = try connect()
                    peer.send(bytes)
                    return RawPeer.farewell(in: peer.heardUntilEnd())
                }
                let reason = try #require(farewell, "\(name)")
                #expect(!reason.isEmpty, "\(name)")
                #expect(try await scene.problem(reason), "\(name)")
                try await scene.checkFriendship()
            }
        }
    }

    @Test(.rule(39)) func `A greeting that does not fit is refused with the reason`() async throws {
        try await withScene { scene in
            let domain = scene.world.domain
            let own = try #require(PeerID(hex: scene.address))
            let greetings: [(String, [UInt8])] = [
                ("domain", Raw.greeting("another domain")),
                (
                    "versions",
                    Raw.greeting(domain) {
                        $0.lowestVersion = 9
                        $0.highestVersion = 12
                    }
                ),
                ("address", Raw.greeting(domain, address: "../../../../etc/passwd")),
                ("address", Raw.greeting(domain, address: ".hidden")),
                ("address", Raw.greeting(domain, address: String(repeating: "0", count: 32))),
                ("this process's id", Raw.greeting(domain, id: own, address: nil)),
            ]
            for (word, greeting) in greetings {
                let connect = scene.connect
                let farewell = try await onOwnThread {
                    let peer = try connect()
                    peer.send(greeting)
                    return RawPeer.farewell(in: peer.heardUntilEnd())
                }
                #expect(farewell?.contains(word) == true, "\(word): \(farewell ?? "-")")
            }
        }
    }

    @Test(.rule(39)) func `An address in a greeting never leads out of the domain's folder`()
        async throws
    {
        try await withScene { scene in
            // A file that refuses connections is removed as the socket of a dead process. This file
            // is none.
            let file = "\(scene.world.folder)/precious"
            #expect(FileManager.default.createFile(atPath: file, contents: Data("x".utf8)))
            for address in ["../../precious", "./../../precious", file] {
                let peer = try scene.connect()
                peer.send(Raw.greeting(scene.world.domain, address: address))
                _ = await onOwnThread { peer.heardUntilEnd() }
            }
            try await scene.checkFriendship()
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    // MARK: - Silence and halves of frames

    @Test(.rule(39)) func `Hundreds of silent connections keep nobody out`() async throws {
        try await withScene { scene in
            let before = try #require(try await scene.victim.run(.costs).costs)
            // More than are let in, and not too many for the tests that start programs meanwhile:
            // Foundation's Process stops a process that has more than 1,300 files open.
            let silent = try (0..<500).map { _ in try scene.connect() }
            try await scene.checkFriendship()
            let newcomer = try await scene.world.member("newcomer")
            try await newcomer.observe("it", Observing("B"))
            try await newcomer.ready()
            try await scene.victim.post(Posts("B"))
            #expect(try await newcomer.numbers("it", 1) == [1])
            let after = try #require(try await scene.victim.run(.costs).costs)
            #expect(after.openFiles <= before.openFiles + 300)
            try await scene.checkMemory(grewAtMost: 20_000, since: before)
            #expect(try await scene.problem("it has not said HELLO"))
            withExtendedLifetime(silent) {}
            try await newcomer.run(.leave)
            try await scene.victim.run(.peersLeft(atMost: 1))
        }
    }

    @Test(.rule(39))
    func `A frame that never ends costs only its received bytes, and goes with its sender`()
        async throws
    {
        try await withScene { scene in
            let whole = Raw.notification(
                1, kind: .bytes, payload: [UInt8](repeating: 0, count: 100_000))
            var halves: [RawPeer] = []
            for length in [0, 1, 3, 4, 5, 12, 23, 24, 25, 1_000, 99_999] {
                let peer = try scene.greeted()
                peer.send(Array(whole[..<length]))
                halves.append(peer)
            }
            // The victim keeps the bytes that came, and not as many as were announced.
            let before = try #require(try await scene.victim.run(.costs).costs)
            for _ in 0..<50 {
                let peer = try scene.greeted()
                peer.send([0x00, 0x00, 0xf0, 0x00, 16])
                halves.append(peer)
            }
            try await scene.checkFriendship()
            try await scene.checkMemory(grewAtMost: 10_000, since: before)
            halves = []
        }
    }

    // MARK: - After a greeting

    static let malformed: [(String, [UInt8])] = [
        ("length 0", [0, 0, 0, 0]),
        ("too long a length", [0x01, 0x00, 0x04, 0x01, 16]),
        ("an unknown type", Raw.frame(99)),
        ("a second greeting", Raw.greeting("x")),
        ("what only a hearer says", Raw.frame(.sync, number: 1)),
        (
            "a subscription",
            Raw.bytes {
                DistributedInterest(name: "A", object: nil).write(to: &$0, isObserved: true)
            }
        ),
        ("a notification of no bytes", Raw.frame(16)),
        ("one without its head's end", Raw.frame(16, [UInt8](repeating: 0, count: 18))),
        ("an unknown kind of payload", Raw.frame(16, [0, 99] + [UInt8](repeating: 0, count: 17))),
        (
            "a name that is not there",
            Raw.frame(
                16, [0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 200, 0, 0, 0])
        ),
        (
            "an object that is not there",
            Raw.frame(
                16, [1, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0] + [255, 255, 255, 255, 0, 0, 0, 0])
        ),
        ("a name in no UTF-8", Raw.notification(1, name: [0xff, 0xfe])),
        ("an object in no UTF-8", Raw.notification(1, object: [0xc0, 0x80])),
        ("half of a SYNCED", Raw.frame(6, [1, 2, 3])),
        ("half of a PING", Raw.frame(18)),
        ("half of a STATUS", Raw.frame(20, [1])),
        ("half of a LOST", Raw.frame(17, [1])),
        ("half of a BYE", Raw.frame(2, [255, 255, 0])),
        ("numbers that go back", Raw.notification(5) + Raw.notification(4)),
        ("the same number again", Raw.notification(1) + Raw.notification(1)),
        ("a loss that goes back", Raw.notification(9) + Raw.frame(.lost, number: 3)),
    ]

    @Test(.rule(39)) func `A malformed frame ends its connection alone, and is reported`()
        async throws
    {
        try await withScene { scene in
            for (name, bytes) in Self.malformed {
                let peer = try scene.greeted()
                let heard = await onOwnThread {
                    peer.send(bytes)
                    return peer.heardUntilEnd()
                }
                #expect(heard != nil, "\(name) did not end it")
                if name == "half of a BYE" { continue }
                let reason = RawPeer.farewell(in: heard)
                #expect(reason != nil, "\(name)")
                #expect(try await scene.problem(reason ?? "?"), "\(name)")
            }
            try await scene.checkFriendship()
            let texts = try await scene.victim.run(.problems(containing: "")).texts
            #expect(texts.filter { $0.contains("raw") }.count >= Self.malformed.count)
        }
    }

    @Test(.rule(39), arguments: [1 << 62, 1 << 63, UInt64.max - 1, UInt64.max])
    func `A sequence number of any size causes a loss at most`(number: UInt64) async throws {
        try await withScene { scene in
            for bytes in [
                Raw.notification(number), Raw.frame(.lost, number: number),
                Raw.notification(number) + Raw.notification(number),
                Raw.frame(.lost, number: number) + Raw.notification(number),
                Raw.notification(UInt64.max) + Raw.notification(0) + Raw.notification(number),
                Raw.frame(.synced, number: number) + Raw.frame(.pong, number: number),
            ] {
                let peer = try scene.greeted()
                peer.send(bytes)
                peer.send(Raw.frame(.ping, number: 1))
                _ = await onOwnThread { peer.frames(until: .pong) }
                try await scene.checkFriendship()
            }
        }
    }

    @Test(.rule(39)) func `Frames of a later version are passed over`() async throws {
        try await withScene { scene in
            let peer = try scene.greeted()
            for type in UInt8(128)...255 { peer.send(Raw.frame(type, [1, 2, 3])) }
            peer.send(Raw.notification(1) + Raw.frame(.ping, number: 77))
            let frames = await onOwnThread { peer.frames(until: .pong) }
            #expect(frames.last?.first == FrameType.pong.rawValue)
        }
    }

    @Test(.rule(39)) func `A payload that is malformed is reported, and its connection goes on`()
        async throws
    {
        try await withScene { scene in
            try await scene.victim.observe("info", Observing("B", kind: .notification))
            let peer = try scene.greeted()
            let payloads: [[UInt8]] = [[0x41, 0xff, 0xff, 0xff, 0xff], [0x99], []]
            for (number, payload) in payloads.enumerated() {
                peer.send(
                    Raw.notification(
                        UInt64(number + 1), name: Array("B".utf8), kind: .propertyList,
                        payload: payload))
            }
            peer.send(
                Raw.notification(
                    4, name: Array("B".utf8), kind: .json, payload: Array("{\"n\": ".utf8)))
            peer.send(
                Raw.notification(
                    5, name: Array("B".utf8), kind: .json, payload: Array("{\"n\": 5}".utf8)))
            #expect(try await scene.victim.numbers("info", 5) == [-1, -1, -1, -1, 5])
            #expect(try await scene.problem("is malformed"))
        }
    }

    // MARK: - Peers that ask and do not read

    @Test(.rule(39), arguments: [FrameType.ping, .status])
    func `A peer that asks without end and reads no answer costs little`(
        type: FrameType
    ) async throws {
        try await withScene(limits: DistributedLimits(queueBytes: 4_000_000)) { scene in
            let before = try #require(try await scene.victim.run(.costs).costs)
            let peer = try scene.greeted()
            let questions = (0..<10_000).flatMap { _ in Raw.frame(type, number: 1) }
            await onOwnThread {
                for _ in 0..<300 where !peer.send(questions) { return }
            }
            // Few questions for the status are answered, so that few answers wait.
            if type == .ping { #expect(try await scene.problem("does not read the answers")) }
            try await scene.checkFriendship()
            try await scene.checkMemory(grewAtMost: 30_000, since: before)
        }
    }

    // MARK: - Peers that listen

    /// A raw peer that members find and connect to.
    private final class Listener: Sendable {
        private let name: String
        private let socket = Mutex<RawPeer?>(nil)

        init(_ id: PeerID, _ scene: Scene) {
            name = "\(scene.folder)/\(id)"
            let listener = switchyard_socket_listen(-1, scene.folder, "." + id.description)
            #expect(listener >= 0)
            socket.withLock { $0 = RawPeer(listener) }
            #expect(rename("\(scene.folder)/.\(id)", name) == 0)
        }

        /// The next connection.
        func accept() throws -> RawPeer {
            let listener = try #require(socket.withLock { $0 }).descriptor
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 10_000) > 0)
            return RawPeer(switchyard_socket_accept(listener))
        }

        /// Refuses connections from now on. Call it before a connection is ended: the victim
        /// connects again at once, and would otherwise reach a peer that lets it in and is silent
        /// for good.
        func close() {
            unlink(name)
            socket.withLock { $0 = nil }
        }
    }

    private func listen(_ scene: Scene) throws -> (listener: Listener, id: PeerID) {
        let id = PeerID.random()
        return (Listener(id, scene), id)
    }

    /// The connection that the victim makes to it, once it is greeted.
    private func accept(_ listener: Listener, _ id: PeerID, _ scene: Scene) throws -> RawPeer {
        let peer = try scene.connect()
        peer.send(Raw.greeting(scene.world.domain, id: id, address: nil))
        #expect(!peer.frames(until: .sync).isEmpty)
        return try listener.accept()
    }

    @Test(.rule(36)) func `A peer that subscribes and never reads costs its queue, and no more`()
        async throws
    {
        try await withScene(limits: DistributedLimits(queueBytes: 1_000_000)) { scene in
            let (listener, id) = try listen(scene)
            let peer = try accept(listener, id, scene)
            peer.send(Raw.greeting(scene.world.domain, id: id, address: nil))
            peer.send(
                Raw.bytes {
                    DistributedInterest(name: nil, object: nil).write(to: &$0, isObserved: true)
                    $0.frame(.sync, 0)
                })
            #expect(peer.frames(until: .synced).last?.first == FrameType.synced.rawValue)
            let before = try #require(try await scene.victim.run(.costs).costs)
            let answer = try await scene.victim.post(Posts("B", count: 50_000, size: 1_000))
            #expect(answer.dropped > 40_000)
            #expect(try await scene.problem("does not read"))
            try await scene.checkFriendship()
            try await scene.checkMemory(grewAtMost: 20_000, since: before)
            listener.close()
            shutdown(peer.descriptor, Int32(SHUT_RDWR))
            try await scene.victim.run(.peersLeft(atMost: 1))
        }
    }

    @Test(.rule(36)) func `A peer that never subscribes costs a few megabytes`()
        async throws
    {
        try await withScene { scene in
            let (listener, id) = try listen(scene)
            let peer = try accept(listener, id, scene)
            let before = try #require(try await scene.victim.run(.costs).costs)
            _ = try await scene.victim.post(Posts("B", count: 50_000, size: 1_000))
            try await scene.checkFriendship()
            try await scene.checkMemory(grewAtMost: 20_000, since: before)
            listener.close()
            shutdown(peer.descriptor, Int32(SHUT_RDWR))
            try await scene.victim.run(.peersLeft(atMost: 1))
        }
    }

    @Test(.rule(39)) func `A peer that subscribes without end is refused`() async throws {
        try await withScene { scene in
            let (listener, id) = try listen(scene)
            let peer = try accept(listener, id, scene)
            peer.send(Raw.greeting(scene.world.domain, id: id, address: nil))
            let before = try #require(try await scene.victim.run(.costs).costs)
            let hasEnded = await onOwnThread {
                for number in 0..<5_000 {
                    let name = "\(number)" + String(repeating: "n", count: 60_000)
                    let interest = DistributedInterest(name: name, object: nil)
                    let bytes = Raw.bytes { interest.write(to: &$0, isObserved: true) }
                    if !peer.send(bytes) { return true }
                }
                return false
            }
            #expect(hasEnded)
            #expect(try await scene.problem("subscriptions"))
            try await scene.checkFriendship()
            try await scene.checkMemory(grewAtMost: 150_000, since: before)
            listener.close()
        }
    }

    @Test(.rule(39))
    func `A listener that answers with rubbish is left, and tried less and less often`()
        async throws
    {
        try await withScene { scene in
            let (listener, id) = try listen(scene)
            for bytes in [Array("rubbish!".utf8), Raw.frame(99), Raw.greeting("elsewhere")] {
                let peer = try accept(listener, id, scene)
                peer.send(bytes)
                #expect(await onOwnThread { peer.heardUntilEnd() } != nil)
            }
            listener.close()
        }
    }
}
