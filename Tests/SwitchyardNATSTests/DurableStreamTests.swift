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

/// Streams that are deleted, or take nothing more: the reports to durable observers and to posters.
@Suite("Streams of durable observers", .serialized, .timeLimit(.minutes(5)))
struct DurableStreamTests {
    private let name = Notification.Name("a")
    private let stream = "SWITCHYARD-default"

    private func observe(
        _ member: Member, _ durable: String = "d", in notes: Log<Int>
    ) throws -> DurableObservation {
        try member.center.observe(durable: durable, name, on: .poster) { notes.add(number($0)) }
    }

    /// Waits until a stream that was made just now acknowledges posts.
    private func untilKnown(_ member: Member) async throws {
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        #expect(await until { transport.knowsStream })
    }

    @Test(.rule(40))
    func
        `Observing something else under a durable name is an error, and the stored notifications stay`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        try observe(member, in: before).cancel()
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        for number in 0..<10 { try poster.post("a", number) }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        for (other, object) in [("b", nil), ("a", "x"), (nil, nil)] as [(String?, String?)] {
            let error = #expect(throws: NATSError.self) {
                try member.center.observe(
                    durable: "d", other.map { Notification.Name($0) }, of: object, on: .poster
                ) { _ in }
            }
            #expect(error?.description.contains(#""d" observes "a""#) == true)
        }
        let token = try observe(member, in: after)
        #expect(await after.arrival(of: 10) == Array(0..<10))
        #expect(before.entries.isEmpty)
        withExtendedLifetime(token) {}
    }

    /// Deletes a stream or consumer of a durable observer that has heard a notification.
    private func delete(_ question: String) async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try observe(member, in: notes)
        try poster.post("a", 0)
        #expect(await notes.arrival(of: 1) == [0])
        try poster.ask(question)
        #expect(await until { member.problems.entries.contains { $0.contains("made again") } })
        for number in 1..<10 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 10) == Array(0..<10))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A deleted stream is made again, and the gap is reported`()
        async throws
    {
        try await delete("STREAM.DELETE.\(stream)")
    }

    @Test(.rule(40)) func `A deleted consumer is made again, and the gap is reported`()
        async throws
    {
        try await delete("CONSUMER.DELETE.\(stream).d")
    }

    /// A process makes a consumer again that the server no longer serves, and may be killed before
    /// the new one is there.
    @Test(.rule(40))
    func `The next observer goes on where a process was killed that made the consumer again`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, next, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        let token = try observe(first, in: before)
        for number in 0..<5 { try poster.post("a", number) }
        #expect(await before.arrival(of: 5) == Array(0..<5))
        token.cancel()
        for number in 5..<10 { try poster.post("a", number) }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)

        let transport = try #require(first.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        let consumer = try DurableConsumer(
            transport.options, name: "d", interest: DistributedInterest(name: "a", object: nil),
            transport.subjects)
        let id = DurableConsumer.identified(nil)
        try consumer.makePlaceholder(behind: 5, of: id, transport, session)
        try consumer.delete(.kept, transport, session)
        for number in 10..<12 { try poster.post("a", number) }

        let token2 = try observe(next, in: after)
        #expect(await after.arrival(of: 7) == Array(5..<12))
        #expect(try consumer.findPlaceholder(transport, session) == nil)
        withExtendedLifetime(token2) {}
    }

    @Test(.rule(40))
    func
        `A server that returns without its storage gets its stream again, and the gap is reported`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try observe(member, in: notes)
        for number in 0..<3 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 3) == [0, 1, 2])
        server.end(SIGKILL)
        try FileManager.default.removeItem(atPath: server.folder + "/jetstream")
        try server.start()
        #expect(await until { member.problems.entries.contains { $0.contains("made again") } })
        await until { poster.problems.entries.contains { $0.contains("again") } }
        try await untilKnown(poster)
        // The new posts have the same numbers in the stream as the first ones.
        for number in 3..<6 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 6) == Array(0..<6))
        withExtendedLifetime(token) {}
    }

    @Test func `An observation that ends lets go of messages of a stream that was made again`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        let (isBusy, isFree) = (Log<Int>(), DispatchSemaphore(value: 0))
        weak var desk: DurableDesk?
        try await {
            let consumer = try DurableConsumer(
                transport.options, name: "d",
                interest: DistributedInterest(name: "a", object: nil), transport.subjects)
            let own = DurableDesk(consumer, transport)
            desk = own
            let queue = DispatchQueue(label: "busy")
            let observation = DurableObservation(own, { _ in }) { center in
                center.observe(DurableTurn.self, on: .dispatchQueue(queue)) { turn in
                    try turn.handle { kept in
                        isBusy.add(number(kept))
                        isFree.wait()
                    }
                }
            }
            _ = try observation.begin(transport, session)
            // One message is with the handler, and the others wait.
            for number in 0..<5 { try poster.post("a", number) }
            #expect(await isBusy.arrival(of: 1) == [0])
            #expect(await until { own.waitingCount == 4 })
            try poster.ask("STREAM.DELETE.\(stream)")
            _ = try observation.begin(transport, session)
            observation.cancel()
            #expect(own.waitingCount == 0)
            isFree.signal()
        }()
        #expect(await until { desk == nil })
    }

    @Test(.rule(40)) func `The poster learns how many notifications a full stream did not keep`()
        async throws
    {
        let server = try Server(configuration: "jetstream { max_file_store: 100KB }")
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        try observe(member, in: notes).cancel()
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        try await untilKnown(poster)
        let pad = String(repeating: "x", count: 1_000)
        for number in 0..<300 {
            try poster.center.post(
                name: name, payload: DistributedPayload(userInfo: ["n": number, "pad": pad]))
        }
        let missing = await poster.center.waitUntilFlushed(within: .seconds(60))
        #expect(missing.map(\.processName) == ["the stream \(stream)"])
        let kept = try member.count(in: stream)
        #expect(kept > 0 && kept < 300 && poster.lost == 300 - kept)
        #expect(poster.losses.entries.allSatisfy { $0.description.contains("did not acknowledge") })
        // The loss is reported once.
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let token = try observe(member, in: notes)
        #expect(await notes.arrival(of: kept) == Array(0..<kept))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `The poster learns that the stream has gone`() async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        try observe(member, in: Log<Int>()).cancel()
        try await untilKnown(poster)
        try poster.ask("STREAM.DELETE.\(stream)")
        for number in 0..<5 { try poster.post("a", number) }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty == false)
        #expect(poster.lost == 5)
        // A later post has nothing more to wait for.
        try poster.post("a", 5)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
    }

    @Test(.rule(40))
    func `A poster learns that a server is back without JetStream, which kept the stream`()
        async throws
    {
        let server = try Server(configuration: "jetstream {}")
        let (member, poster) = (try Member(server), try Member(server))
        try observe(member, in: Log<Int>()).cancel()
        try await untilKnown(poster)
        server.end()
        try server.configure("# no JetStream")
        try server.start()
        #expect(await until { poster.problems.entries.contains { $0.contains("again") } })
        for number in 0..<5 { try poster.post("a", number) }
        let missing = await poster.center.waitUntilFlushed(within: .seconds(60))
        #expect(missing.map(\.processName) == ["the stream \(stream)"])
        #expect(poster.lost == 5)
        // The stream is back with the server's JetStream.
        server.end()
        try server.configure("jetstream {}")
        try server.start()
        await until { poster.problems.entries.filter { $0.contains("again") }.count == 2 }
        try poster.post("a", 5)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(poster.lost == 5)
    }

    @Test(.rule(40)) func `The first post of a process that starts later is acknowledged`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        try observe(member, in: Log<Int>()).cancel()
        let poster = try Member(server)
        let transport = try #require(poster.center.engineTransport as? NATSTransport)
        #expect(transport.knowsStream)
        let other = try Member(server, domain: "other")
        let otherTransport = try #require(other.center.engineTransport as? NATSTransport)
        #expect(!otherTransport.knowsStream)
    }

    @Test(.rule(40))
    func `A stream of an earlier version, which acknowledges nothing, acknowledges from now on`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        try member.ask(
            "STREAM.CREATE.\(stream)",
            [
                "name": stream, "subjects": ["switchyard.default.>"], "retention": "interest",
                "no_ack": true, "storage": "file", "num_replicas": 1,
            ])
        let notes = Log<Int>()
        let token = try observe(member, in: notes)
        let poster = try Member(server)
        try await untilKnown(poster)
        try poster.post("a", 1)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await notes.arrival(of: 1) == [1])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A consumer that an operator described gets a number, and is no gap`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        try observe(member, "other", in: Log<Int>()).cancel()
        try member.ask(
            "CONSUMER.DURABLE.CREATE.\(stream).d",
            [
                "stream_name": stream,
                "config": [
                    "durable_name": "d", "description": "invoices", "deliver_subject": "nobody",
                    "filter_subject": "switchyard.default.*.a", "deliver_policy": "new",
                    "ack_policy": "explicit", "replay_policy": "instant", "max_deliver": -1,
                    "ack_wait": 30_000_000_000,
                ],
            ])
        let notes = Log<Int>()
        let token = try observe(member, in: notes)
        let status = DurableConsumer.Status(try member.ask("CONSUMER.INFO.\(stream).d"))
        #expect(status.id.hasPrefix("invoices; "))
        try member.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        #expect(!member.problems.entries.contains { $0.contains("made again") })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A foreign stream in the way is named in the error`() throws {
        let server = try Server(["-js"])
        let member = try Member(server)
        try member.ask(
            "STREAM.CREATE.\(stream)",
            ["name": stream, "subjects": ["other"], "storage": "file", "num_replicas": 1])
        let error = #expect(throws: NATSError.self) { try observe(member, in: Log<Int>()) }
        #expect(error?.description.contains("somebody else made it") == true)
    }
}
#endif
