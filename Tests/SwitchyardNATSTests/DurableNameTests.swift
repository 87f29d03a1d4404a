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

/// The process that has the name of a durable observer, and the errors of the others.
@Suite("Names of durable observers", .serialized, .timeLimit(.minutes(5)))
struct DurableNameTests {
    private let name = Notification.Name("a")

    @Test(.rule(40)) func `A process that has lost a durable name handles nothing more of it`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        let isFree = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "busy")
        let one = try first.center.observe(durable: "d", name, on: .dispatchQueue(queue)) { kept in
            before.add(number(kept))
            isFree.wait()
        }
        for number in 0..<100 { try poster.post("a", number) }
        #expect(await before.arrival(of: 1) == [0])
        // The server has no subscriber to deliver to, as when the first process's connection
        // breaks.
        var two: DurableObservation?
        #expect(
            await until {
                one.interrupt()
                two = try? second.center.observe(durable: "d", name, on: .poster) {
                    after.add(number($0))
                }
                return two != nil
            })
        #expect(await after.arrival(of: 100) == Array(0..<100))
        #expect(
            await until {
                first.problems.entries.contains { $0.contains("another process observes") }
            })
        for _ in 0..<100 { isFree.signal() }
        // The block runs behind all work in the queue.
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(before.entries == [0])
        // The name is free again: the first process goes on with what comes then.
        two?.cancel()
        try poster.post("a", 100)
        #expect(await before.arrival(of: 2) == [0, 100])
        #expect(after.entries.count == 100)
        withExtendedLifetime(one) {}
    }

    @Test(.rule(40)) func `A name that was given up can be taken at once, again and again`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second) = (try Member(server), try Member(server))
        for round in 0..<300 {
            let member = round.isMultiple(of: 2) ? first : second
            try member.center.observe(durable: "d", name, on: .poster) { _ in }.cancel()
            #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        }
    }

    @Test(.rule(40)) func `A durable observer whose center has gone handles nothing more`()
        async throws
    {
        let server = try Server(["-js"])
        var first: Member? = try Member(server)
        let (second, poster) = (try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        let isFree = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "busy")
        let one = try #require(first).center.observe(
            durable: "d", name, on: .dispatchQueue(queue)
        ) { kept in
            before.add(number(kept))
            isFree.wait()
        }
        for number in 0..<100 { try poster.post("a", number) }
        #expect(await before.arrival(of: 1) == [0])
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        first = nil
        var two: DurableObservation?
        #expect(
            await until {
                two = try? second.center.observe(durable: "d", name, on: .poster) {
                    after.add(number($0))
                }
                return two != nil
            })
        #expect(await after.arrival(of: 100) == Array(0..<100))
        for _ in 0..<100 { isFree.signal() }
        // The block runs after all work that waits in the queue.
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(before.entries == [0])
        withExtendedLifetime((one, two)) {}
    }

    /// Waits until a member's observer says that it has ended with its context, and has another
    /// observe under the name.
    private func takeOver(
        from first: Member, _ context: String, by second: Member, in notes: Log<Int>
    ) async throws -> DurableObservation {
        #expect(
            await until {
                first.problems.entries.contains {
                    $0.contains("because \(context)") && $0.contains("observe again")
                }
            })
        var next: DurableObservation?
        #expect(
            await until {
                next = try? second.center.observe(durable: "d", name, on: .poster) {
                    notes.add(number($0))
                }
                return next != nil
            })
        return try #require(next)
    }

    @Test(.rule(40))
    func `A durable observer whose thread ends in the handler gives up its name`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        let worker = DeliveryThread(name: "worker")
        let one = try first.center.observe(durable: "d", name, on: .thread(worker)) { kept in
            before.add(number(kept))
            if number(kept) == 1 { Thread.exit() }
        }
        for number in 0..<50 { try poster.post("a", number) }
        #expect(await before.arrival(of: 2) == [0, 1])
        let two = try await takeOver(from: first, "thread worker", by: second, in: after)
        #expect(await after.arrival(of: 49) == Array(1..<50))
        #expect(before.entries == [0, 1])
        withExtendedLifetime((one, two)) {}
    }

    @Test(.rule(40)) func `A durable observer whose thread is stopped gives up its name`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        let worker = DeliveryThread(name: "worker")
        let one = try first.center.observe(durable: "d", name, on: .thread(worker)) {
            before.add(number($0))
        }
        try poster.post("a", 0)
        #expect(await before.arrival(of: 1) == [0])
        worker.stop()
        // The name is given up without a post after the thread's end.
        let two = try await takeOver(from: first, "thread worker", by: second, in: after)
        try poster.post("a", 1)
        #expect(await after.arrival(of: 1).last == 1)
        #expect(before.entries == [0])
        withExtendedLifetime((one, two)) {}
    }

    private actor Somebody {}

    @Test(.rule(40)) func `A durable observer whose actor has gone gives up its name`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after) = (Log<Int>(), Log<Int>())
        func begin() async throws -> DurableObservation {
            let somebody = Somebody()
            let one = try first.center.observe(durable: "d", name, on: .actor(somebody)) {
                before.add(number($0))
            }
            try poster.post("a", 0)
            #expect(await before.arrival(of: 1) == [0])
            #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
            return withExtendedLifetime(somebody) { one }
        }
        let one = try await begin()
        for number in 1..<10 { try poster.post("a", number) }
        let two = try await takeOver(from: first, "actor Somebody", by: second, in: after)
        #expect(await until { after.entries.last == 9 })
        #expect(after.entries.suffix(9) == Array(1..<10))
        #expect(before.entries == [0])
        withExtendedLifetime((one, two)) {}
    }

    @Test(.rule(40)) func `A durable observer that is cancelled does not end with its context`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        let worker = DeliveryThread(name: "worker")
        let one = try member.center.observe(durable: "d", name, on: .thread(worker)) { _ in }
        one.cancel()
        worker.stop()
        #expect(await until { worker.mailbox.isClosed })
        #expect(one.endWithContext() == nil)
    }

    @Test(.rule(40)) func `A process that has lost a durable name sends no signs of life`()
        async throws
    {
        let server = try Server(["-js"])
        let (first, second, poster) = (try Member(server), try Member(server), try Member(server))
        let (before, after, answers) = (Log<Int>(), Log<Int>(), Log<String>())
        let isFree = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "busy")
        let one = try first.center.observe(durable: "d", name, on: .dispatchQueue(queue)) {
            before.add(number($0))
            isFree.wait()
        }
        let listening = try second.listen(to: "$JS.ACK.>") { answers.add($0) }
        #expect(await second.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        for number in 0..<3 { try poster.post("a", number) }
        #expect(await before.arrival(of: 1) == [0])
        one.keepInProgress()
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await until { answers.entries.contains("+WPI") })
        var two: DurableObservation?
        #expect(
            await until {
                one.interrupt()
                two = try? second.center.observe(durable: "d", name, on: .poster) {
                    after.add(number($0))
                }
                return two != nil
            })
        #expect(await after.arrival(of: 3) == [0, 1, 2])
        #expect(
            await until {
                first.problems.entries.contains { $0.contains("another process observes") }
            })
        try first.publish("begin", to: "$JS.ACK.test")
        one.keepInProgress()
        try first.publish("end", to: "$JS.ACK.test")
        #expect(await first.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(await until { answers.entries.contains("end") })
        let afterwards = answers.entries.drop { $0 != "begin" }
        #expect(!afterwards.contains("+WPI"))
        isFree.signal()
        withExtendedLifetime((one, two, listening)) {}
    }

    @Test(.rule(40))
    func
        `No durable handler is called without a connection; afterwards all notifications come in order`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let isFree = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "busy")
        let token = try member.center.observe(durable: "d", name, on: .dispatchQueue(queue)) {
            notes.add(number($0))
            if number($0) == 0 { isFree.wait() }
        }
        for number in 0..<100 { try poster.post("a", number) }
        #expect(await notes.arrival(of: 1) == [0])
        // All notifications wait at the process.
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        server.end(SIGTERM)
        #expect(await until { member.problems.entries.contains { $0.contains("broke") } })
        isFree.signal()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect(notes.entries == [0])
        try server.start()
        #expect(await notes.arrival(of: 100) == Array(0..<100))
        try poster.post("a", 100)
        #expect(await notes.arrival(of: 101) == Array(0...100))
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A durable handler without a context is called on one thread`()
        async throws
    {
        let server = try Server(["-js"])
        let (member, poster) = (try Member(server), try Member(server))
        let (notes, threads) = (Log<Int>(), Log<UInt>())
        struct Refused: Error {}
        let token = try member.center.observe(durable: "d", name, on: .poster) { kept in
            threads.add(UInt(pthread_self()))
            notes.add(number(kept))
            if kept.deliveryCount == 1 { throw Refused() }
        }
        for number in 0..<50 { try poster.post("a", number) }
        // Each notification comes once at first, and once again from another stream.
        #expect(await notes.arrival(of: 100).count == 100)
        #expect(Set(threads.entries).count == 1)
        withExtendedLifetime(token) {}
    }

    @Test(.rule(40)) func `A durable name that is used can't be forgotten`() async throws {
        let server = try Server(["-js"])
        let (member, other) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try member.center.observe(durable: "d", name, on: .poster) {
            notes.add(number($0))
        }
        for center in [member.center, other.center] {
            let error = #expect(throws: NATSError.self) { try center.forget(durable: "d") }
            #expect(error?.description.contains("a process observes durably") == true)
        }
        try other.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        #expect(!member.problems.entries.contains { $0.contains("made again") })
        token.cancel()
        try other.center.forget(durable: "d")
    }

    @Test(.rule(40))
    func `Adding a durable observer without a connection is an error that says so`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        server.end()
        #expect(await until { member.problems.entries.contains { $0.contains("broke") } })
        let error = #expect(throws: NATSError.self) {
            try member.center.observe(durable: "d", name, on: .poster) { _ in }
        }
        #expect(error?.description.contains("no connection") == true)
        #expect(error?.description.contains("waitUntilReady(within:)") == true)
        try server.start()
        #expect(await member.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        #expect(
            await until {
                let token = try? member.center.observe(durable: "d", name, on: .poster) { _ in }
                return token != nil
            })
    }

    @Test(.rule(40)) func `Posts without an acknowledgement are reported when the center goes`()
        async throws
    {
        let server = try Server(["-js"])
        let member = try Member(server)
        try member.center.observe(durable: "d", name, on: .poster) { _ in }.cancel()
        var poster: Member? = try Member(server)
        let losses = try #require(poster).losses
        let transport = try #require(poster?.center.engineTransport as? NATSTransport)
        // A busy server may leave the first question about the stream without an answer.
        #expect(await until { transport.knowsStream })
        server.stop()
        for number in 0..<5 { try poster?.post("a", number) }
        poster = nil
        #expect(await until { losses.entries.reduce(0) { $0 + $1.count } == 5 })
        #expect(losses.entries.allSatisfy { "\($0)".contains("this process ended") })
        server.send(SIGCONT)
    }

    @Test(.rule(40)) func `Posts that waited for a connection are reported when the center goes`()
        async throws
    {
        let server = try Server()
        var poster: Member? = try Member(server)
        let (losses, problems) = (try #require(poster).losses, try #require(poster).problems)
        server.end()
        #expect(await until { problems.entries.contains { $0.contains("broke") } })
        for number in 0..<3 { try poster?.post("a", number) }
        poster = nil
        #expect(await until { losses.entries.map(\.count) == [3] })
    }
}
#endif
