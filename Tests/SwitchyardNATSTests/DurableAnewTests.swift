// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Consumers that two processes make again at the same time, and those of processes that exit.
@Suite("Durable observers that begin at the wrong time", .serialized, .timeLimit(.minutes(5)))
struct DurableAnewTests {
    private let name = Notification.Name("a")

    @Test(.rule(40), arguments: [0, 3])
    func `A consumer that another process has made again is taken, and no gap`(
        floor: Int
    )
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let one = try first.center.observe(durable: "d", name, on: .poster) { _ in }
        for number in 0..<5 { try poster.post("a", number) }
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let transport = try #require(second.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        let consumer = try DurableConsumer(
            transport.options, name: "d", interest: DistributedInterest(name: "a", object: nil),
            transport.subjects)
        let report: @Sendable (DeliveryProblem) -> Void = { _ in }
        let two = DurableObservation(DurableDesk(consumer, transport), report) { center in
            center.observe(DurableTurn.self, on: .poster, options: DurableTurn.options) {
                try $0.handle { _ in }
            }
        }
        // The second process found no consumer, and the first made it at that moment.
        let anew = DurableConsumer.Anew(behind: floor, inPlaceOf: nil, isGap: false)
        two.state.withLock { $0.anew[.kept] = anew }
        let taken = #expect(throws: DurableConsumer.Taken.self) {
            try two.make(
                .kept, anew: anew, exists: false, deliverySubject: two.deliveryPrefix + "1",
                transport, session)
        }
        #expect(taken?.reason.code == .nameIsTaken)
        let state = two.state.withLock { $0 }
        #expect(state.anew[.kept] == nil && state.ids[.kept] == anew.id && state.gaps.isEmpty)
        withExtendedLifetime(one) {}
    }

    @Test(.rule(40))
    func `A consumer that another process was to make again is no gap if it goes on where it was`()
        async throws
    {
        let server = try Server(["-js"])
        let (hearer, other, poster) = (try Member(server), try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try hearer.center.observe(durable: "d", name, on: .poster) {
            notes.add(number($0))
        }
        let transport = try #require(other.center.engineTransport as? NATSTransport)
        let session = try #require(transport.session)
        let consumer = try DurableConsumer(
            transport.options, name: "d", interest: DistributedInterest(name: "a", object: nil),
            transport.subjects)
        let id = try #require(try consumer.find(.kept, transport, session)).id
        try consumer.makePlaceholder(behind: 0, of: id, transport, session)
        try consumer.delete(.kept, transport, session)
        #expect(try await until { try consumer.find(.kept, transport, session)?.id == id })
        for number in 0..<5 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 5) == Array(0..<5))
        #expect(!hearer.problems.entries.contains { $0.contains("made again") })
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A durable observer of a process that exits does not begin again`()
        async throws
    {
        let server = try Server(["-js"])
        let (leaving, next, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        let one = try leaving.center.observe(durable: "d", name, on: .poster) {
            before.add(number($0))
        }
        try poster.post("a", 0)
        #expect(await before.arrival(of: 1) == [0])
        let transport = try #require(leaving.center.engineTransport as? NATSTransport)
        // As at the beginning of the exit, when there is still a connection.
        transport.endDurables()
        let hasEnded = Log<Bool>()
        let keeper = DurableKeeper(one, transport)
        Thread.detachNewThread {
            keeper.run()
            hasEnded.add(true)
        }
        #expect(await until(within: .seconds(20)) { !hasEnded.entries.isEmpty })
        #expect(one.state.withLock(\.session) == nil)
        let session = try #require(transport.session)
        #expect(throws: NATSError.self) { try one.begin(transport, session) }
        #expect(await leaving.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let two = try next.center.observe(durable: "d", name, on: .poster) {
            after.add(number($0))
        }
        for number in 1..<5 { try poster.post("a", number) }
        #expect(await until { after.entries.last == 4 })
        #expect(before.entries == [0])
        one.cancel()
        withExtendedLifetime((one, two)) {}
    }
}
#endif
