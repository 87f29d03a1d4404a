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

/// The notifications of a stream that slow, refusing and several handlers get.
@Suite("Handlers of durable observers", .serialized, .timeLimit(.minutes(5)))
struct DurableHandlerTests {
    private struct Refused: Error {}

    private let name = Notification.Name("a")

    @Test(.rule(40)) func `Only one of several processes handles a durable name at a time`()
        async throws
    {
        let server = try Server(["-js"])
        for round in 0..<10 {
            let domain = "round\(round)"
            let notes = Log<Int>()
            let members = try (0..<4).map { _ in try Member(server, domain: domain) }
            let tokens = await withTaskGroup(of: DurableObservation?.self) { group in
                for member in members {
                    group.addTask {
                        await withCheckedContinuation { done in
                            // The call blocks, so each runs on a thread of its own, all at once.
                            Thread.detachNewThread {
                                done.resume(
                                    returning: try? member.center.observe(
                                        durable: "d", name, on: .poster
                                    ) { notes.add(number($0)) })
                            }
                        }
                    }
                }
                return await group.reduce(into: []) { tokens, token in
                    if let token { tokens.append(token) }
                }
            }
            #expect(tokens.count == 1)
            let poster = try Member(server, domain: domain)
            try poster.post("a", round)
            #expect(await notes.arrival(of: 1) == [round])
            withExtendedLifetime(tokens) {}
        }
    }

    @Test(.rule(40)) func `Notifications that waited at one process go to the next in order`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<DurableNotification>())
        let isFree = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "busy")
        let one = try first.center.observe(durable: "d", name, on: .dispatchQueue(queue)) { kept in
            before.add(number(kept))
            // The handler handles one notification and no other.
            isFree.wait()
            throw Refused()
        }
        for number in 0..<100 { try poster.post("a", number) }
        #expect(await before.arrival(of: 1) == [0])
        one.cancel()
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let two = try second.center.observe(durable: "d", name, on: .poster) { after.add($0) }
        let arrived = await after.arrival(of: 100)
        #expect(arrived.map { number($0) } == Array(0..<100))
        #expect(arrived.map(\.sequence) == arrived.map(\.sequence).sorted())
        isFree.signal()
        withExtendedLifetime(two) {}
    }

    @Test(.rule(40)) func `A slow durable handler keeps the order, and nothing comes twice`()
        async throws
    {
        let server = try Server(["-js"])
        var options = NATSOptions(servers: [server.url])
        options.durableHandlingTime = .seconds(1)
        let (member, poster) = (try Member(options), try Member(server))
        let notes = Log<DurableNotification>()
        let token = try member.center.observe(durable: "d", name) { kept in
            // The last of the notifications delivered at first waits five times as long as the
            // server does.
            try await Task.sleep(for: .milliseconds(20))
            notes.add(kept)
        }
        for number in 0..<300 { try poster.post("a", number) }
        let arrived = await notes.arrival(of: 300)
        #expect(arrived.map { number($0) } == Array(0..<300))
        #expect(arrived.allSatisfy { $0.deliveryCount == 1 })
        // No notification comes again behind the last.
        try poster.post("a", 300)
        #expect(await notes.arrival(of: 301).map { number($0) } == Array(0...300))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func `A durable handler may take longer than the server waits for a sign of life`()
        async throws
    {
        let server = try Server(["-js"])
        var options = NATSOptions(servers: [server.url])
        options.durableHandlingTime = .milliseconds(500)
        let (member, poster) = (try Member(options), try Member(server))
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", name) { kept in
            notes.add(number(kept))
            if number(kept) == 0 { try await Task.sleep(for: .seconds(3)) }
        }
        for number in 0..<3 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 3) == [0, 1, 2])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func `A durable handler that ends its observation and then throws is a problem of the center`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let holder = Guarded<DurableObservation?>(nil)
        let isHeld = Gate()
        let token = try member.center.observe(durable: "d", name, on: .poster) { _ in
            isHeld.wait()
            if let last = holder.exchange(nil) { last.cancel() }
            throw Refused()
        }
        _ = holder.exchange(consume token)
        isHeld.open()
        try poster.post("a", 1)
        await until { member.problems.entries.contains { $0.contains("threw") } }
        let told = member.problems.entries.filter { $0.contains("threw") }
        #expect(told.count == 1)
        #expect(told.first?.contains("durable observer \"d\"") == true)
    }

    @Test(.rule(40)) func `A refused notification holds up no other`() async throws {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let (good, bad, again) = (Log<Int>(), Log<Int>(), Log<Int>())
        let token = try member.center.observe(durable: "d", nil, on: .poster) { kept in
            if kept.name.rawValue == "bad" {
                (kept.deliveryCount == 1 ? bad : again).add(number(kept))
                throw Refused()
            }
            good.add(number(kept))
        }
        for number in 0..<600 { try poster.post("bad", number) }
        for number in 0..<10 { try poster.post("good", number) }
        #expect(await good.arrival(of: 10) == Array(0..<10))
        // The refused notifications were tried in order, and come again, the first perhaps before
        // the last has been tried.
        #expect(bad.entries == Array(0..<600))
        #expect(await again.arrival(of: 600).count >= 600)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40))
    func
        `Refused notifications are listed, and can be posted again to the observer that refused them`()
        async throws
    {
        let server = try Server(["-js"])
        var options = NATSOptions(servers: [server.url])
        options.durableTries = 2
        let (member, poster) = (try Member(options), try Member(server))
        let (notes, other) = (Log<DurableNotification>(), Log<Int>())
        let accepts = Atomic(false)
        let token = try member.center.observe(durable: "d", name, on: .poster) { kept in
            notes.add(kept)
            if !accepts.value { throw Refused() }
        }
        let second = try poster.center.observe(durable: "e", name, on: .poster) {
            other.add(number($0))
        }
        try poster.post("a", object: "x y", 7)
        #expect(await notes.arrival(of: 2).map(\.deliveryCount) == [1, 2])
        #expect(await until { (try? poster.center.refused().count) == 1 })
        let refused = try #require(try poster.center.refused(durable: "d").first)
        #expect(refused.durable == "d" && refused.name == name && refused.object == "x y")
        #expect(refused.deliveryCount == 2 && refused.error.contains("Refused"))
        #expect(try refused.payload.userInfo?["n"] as? Int == 7)
        #expect(refused.sender.id == poster.center.ownPeer.id)
        #expect(try poster.center.refused(durable: "e").isEmpty)
        #expect(member.problems.entries.contains { $0.contains("given up") })
        // The error names this file, where the handler was registered.
        #expect(
            member.problems.entries.contains { $0.contains("DurableHandlerTests.swift") })
        accepts.value = true
        try poster.center.postAgain(refused)
        // Another process had the same idea, and a third one deletes it.
        try member.center.postAgain(refused)
        try member.center.discard(refused)
        let all = await notes.arrival(of: 3)
        #expect(all.map(\.deliveryCount) == [1, 2, 3] && Set(all.map(\.sequence)).count == 1)
        #expect(try poster.center.refused().isEmpty)
        #expect(await until { (try? member.count(in: "SWITCHYARD_REFUSED-default")) == 0 })
        #expect(other.entries == [7])
        try poster.post("a", object: "x y", 8)
        #expect(try await notes.arrival(of: 4).last?.payload.userInfo?["n"] as? Int == 8)
        withExtendedLifetime((token, second)) {}
    }

    @Test(.rule(40))
    func `A refused notification that waits for its next attempt moves to the next process`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<DurableNotification>(), Log<DurableNotification>())
        let one = try first.center.observe(durable: "d", name, on: .poster) {
            before.add($0)
            throw Refused()
        }
        try poster.post("a", 1)
        await before.arrival(of: 1)
        // The refused notification is in the other stream, and only there.
        #expect(
            await until {
                (try? poster.count(in: "SWITCHYARD_REFUSED-default")) == 1
                    && (try? poster.count(in: "SWITCHYARD-default")) == 0
            })
        one.cancel()
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        let two = try second.center.observe(durable: "d", name, on: .poster) { after.add($0) }
        let arrived = await after.arrival(of: 1)
        #expect(arrived.map { number($0) } == [1])
        #expect(arrived.map(\.sequence) == [before.entries[0].sequence])
        #expect(arrived[0].deliveryCount > 1)
        two.cancel()
        try second.center.forget(durable: "d")
        #expect(try poster.count(in: "SWITCHYARD_REFUSED-default") == 0)
    }

    @Test(
        .rule(40),
        arguments: [
            DeliveryBound.dropOldest(above: 4), .dropNewest(above: 4), .refuse(above: 4),
            .wait(above: 4),
        ])
    func `A durable observer on a context with a bound hears everything`(
        bound: DeliveryBound
    )
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let (notes, lags) = (Log<Int>(), Log<Int>())
        let isFree = DispatchSemaphore(value: 0)
        let worker = DeliveryThread(name: "worker", bound: bound.onLag { lags.add($0) })
        let token = try member.center.observe(durable: "d", name, on: .thread(worker)) { kept in
            notes.add(number(kept))
            if number(kept) == 0 { isFree.wait() }
        }
        for number in 0..<50 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 1) == [0])
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await until { worker.mailbox.depth == 49 })
        isFree.signal()
        #expect(await notes.arrival(of: 50) == Array(0..<50))
        #expect(lags.entries.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test(arguments: [
        (1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (1_000, 300), (0, 1), (.min, 1), (.max, 300),
    ])
    func `The pauses grow, up to five minutes`(tries: Int, seconds: Int) {
        #expect(DurablePauses.seconds(after: tries) == seconds)
    }

    @Test func `A stream whose time of creation is not known counts as the same stream`() {
        let time = "2026-11-22T17:01:33.5Z"
        let before = DurableStream.Made.seconds(time)
        func isOther(_ answer: [String: Any], wasMade: Bool = false, _ before: Double?) -> Bool {
            DurableStream.Made(answer, wasMade: wasMade).isOther(than: before)
        }
        #expect(DurableStream.Made([:], wasMade: false).created == nil)
        #expect(!isOther([:], before) && !isOther(["created": time], before))
        #expect(!isOther(["created": time], wasMade: true, nil))
        #expect(isOther(["created": time], wasMade: true, before))
        #expect(isOther(["created": "2026-11-22T17:02:33.5Z"], before))
    }

    @Test func `A consumer keeps its description and its number, and another has another number`() {
        let own = DurableConsumer.identified(nil)
        #expect(DurableConsumer.identified(own) == own)
        #expect(DurableConsumer.identified(nil) != own)
        let foreign = DurableConsumer.identified("invoices")
        #expect(foreign.hasPrefix("invoices; "))
        #expect(DurableConsumer.identified(foreign) == foreign)
        #expect(DurableConsumer.identified("invoices") != foreign)
    }

    @Test
    func `The reply subject of a delivery is read, with the server's domain or without`() {
        let plain = AckReply("$JS.ACK.S.C.3.17.20.1700000000000000000.5")
        #expect(plain?.sequence == 17 && plain?.deliveries == 3)
        let long = AckReply("$JS.ACK.hub.ABC.S.C.3.17.20.1700000000000000000.5.xyz")
        #expect(long?.sequence == 17 && long?.deliveries == 3)
        #expect([plain, long].allSatisfy { $0?.time == 1_700_000_000_000_000_000 })
        #expect(AckReply("$JS.ACK.S.C.\(Int.max).17.20.1.5")?.deliveries == 1_000_000)
        #expect(AckReply("$JS.ACK.S.C.\(Int.min).17.20.1.5")?.deliveries == 0)
        #expect(AckReply("_SWY.1.2") == nil && AckReply("$JS.ACK.S.C.x.17.20.1.5") == nil)
    }
}

/// A flag that threads share.
private final class Atomic: Sendable {
    private let storage: Guarded<Bool>

    init(_ value: Bool) { storage = Guarded(value) }

    var value: Bool {
        get { storage.withLock { $0 } }
        set { _ = storage.exchange(newValue) }
    }
}
#endif
