// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import Synchronization
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Durable observers on a server with a client that hears everything, and so what is meant for
/// processes that have ended.
@Suite("Durable names and a client that hears everything", .serialized, .timeLimit(.minutes(5)))
struct WideListenerTests {
    private let name = Notification.Name("a")

    private func consumers(_ member: Member) throws -> [String] {
        try member.ask("CONSUMER.NAMES.SWITCHYARD-default")["consumers"] as? [String] ?? []
    }

    @Test(.rule(40), arguments: [">", "_SWY.>"])
    func `The name of an observer that has ended is free although a client hears everything`(
        pattern: String
    ) async throws {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let listening = try poster.listen(to: pattern) { _ in }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let (before, after) = (Log<Int>(), Log<Int>())
        let isFree = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "busy")
        let one = try first.center.observe(durable: "d", name, on: .dispatchQueue(queue)) {
            before.add(number($0))
            if number($0) == 5 { isFree.wait() }
        }
        for number in 0..<20 { try poster.post("a", number) }
        #expect(await before.arrival(of: 6) == Array(0..<6))
        // The server then has the answers to the first five.
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        one.cancel()
        isFree.signal()
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let two = try second.center.observe(durable: "d", name, on: .poster) {
            after.add(number($0))
        }
        for number in 20..<40 { try poster.post("a", number) }
        #expect(await until { after.entries.last == 39 })
        // The answer to the sixth may have come behind the end.
        #expect(after.entries.drop { $0 == 5 } == Array(6..<40)[...])
        #expect(try consumers(second) == ["d"])
        #expect(second.problems.entries == [])
        withExtendedLifetime((two, listening)) {}
    }

    @Test(.rule(40))
    func `A durable name that is used stays taken although a client hears everything`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let listening = try poster.listen(to: ">") { _ in }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let notes = Log<Int>()
        let one = try first.center.observe(durable: "d", name, on: .poster) {
            notes.add(number($0))
        }
        for _ in 0..<3 {
            let error = #expect(throws: NATSError.self) {
                try second.center.observe(durable: "d", name, on: .poster) { _ in }
            }
            #expect(error?.code == .nameIsTaken)
        }
        for number in 0..<10 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 10) == Array(0..<10))
        #expect(first.problems.entries == [])
        withExtendedLifetime((one, listening)) {}
    }

    @Test(.rule(40))
    func `One of several processes gets a free name although a client hears everything`()
        async throws
    {
        let server = try Server(["-js"])
        let members = try (0..<4).map { _ in try Member(server) }
        let poster = try Member(server)
        let listening = try poster.listen(to: ">") { _ in }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        try members[0].center.observe(durable: "d", name, on: .poster) { _ in }.cancel()
        #expect(await members[0].center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let (notes, begun, refused) = (Log<Int>(), Log<DurableObservation>(), Log<NATSError.Code>())
        await withTaskGroup(of: Void.self) { group in
            for member in members {
                group.addTask {
                    await onOwnThread {
                        do {
                            begun.add(
                                try member.center.observe(durable: "d", name, on: .poster) {
                                    notes.add(number($0))
                                })
                        } catch {
                            if let error = error as? NATSError { refused.add(error.code) }
                        }
                    }
                }
            }
        }
        #expect(begun.entries.count == 1)
        #expect(refused.entries == [.nameIsTaken, .nameIsTaken, .nameIsTaken])
        for number in 0..<20 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 20) == Array(0..<20))
        #expect(members.flatMap(\.problems.entries) == [])
        withExtendedLifetime(listening) {}
    }

    @Test(.rule(40))
    func `A durable observer goes on after a break although a client hears everything`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let listening = try poster.listen(to: ">") { _ in }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", name, on: .poster) {
            notes.add(number($0))
        }
        let transport = try #require(member.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        shutdown(session.socket.load(ordering: .acquiring), CInt(SHUT_RDWR))
        #expect(await until { transport.session.map { $0 !== session } ?? false })
        for number in 0..<10 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 10) == Array(0..<10))
        #expect(!member.problems.entries.contains { $0.contains("gone") })
        withExtendedLifetime((token, listening)) {}
    }
}
#endif
