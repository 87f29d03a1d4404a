// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
@_spi(Engine) import SwitchyardCore
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// How centers agree which value is the latest, message by message: the test carries each.
@Suite("Agreement on the latest value", .timeLimit(.minutes(5)))
struct LatestAgreementTests {
    /// A center, and the notifications that leave it.
    private final class Party: Sendable {
        let transport: HandCarriedTransport
        let center: DistributedNotificationCenter
        let problems = Log<String>()
        private let tokens = Guarded<[ObservationToken]>([])

        init(_ id: String, sharesLatestValues: Bool = true) throws {
            transport = HandCarriedTransport(id, sharesLatestValues: sharesLatestValues)
            center = try DistributedNotificationCenter(transport: transport)
            center.onProblem { [problems] in problems.add($0.description) }
            transport.tell()
        }

        func post(_ number: Int, _ object: String? = nil) {
            center.post(
                name: name, object: object, userInfo: ["number": number], retaining: .latest)
        }

        func latest(_ object: String? = nil) -> Int? {
            center.latest(name, of: object)?.userInfo?["number"] as? Int
        }

        /// Logs what an observer hears, and waits until its question was sent.
        func observeLate(_ object: String? = nil) async -> Log<Int> {
            let log = Log<Int>()
            let before = transport.count
            keep(
                center.observe(name, of: object, on: .poster, options: .replayingLatest) {
                    log.add($0.userInfo?["number"] as? Int ?? -1)
                })
            await until { [transport] in transport.count > before }
            return log
        }

        func observe() -> Log<Int> {
            let log = Log<Int>()
            keep(
                center.observe(name, on: .poster) {
                    log.add($0.userInfo?["number"] as? Int ?? -1)
                })
            return log
        }

        func keep(_ token: ObservationToken) { tokens.withLock { $0.append(token) } }

        func cancelAll() {
            for token in tokens.exchange([]) { token.cancel() }
        }
    }

    /// The target of a mailbox that the test drains.
    private final class ByHand: MailboxTarget {
        var label: String { "hand" }
        var isCurrent: Bool { false }
        func wake(_ mailbox: DeliveryMailbox) {}
    }

    private static let name = Notification.Name("level.changed")

    /// Whether an outgoing notification is one that centers send each other, with this key.
    private func says(_ key: String, _ notification: OutgoingNotification) -> Bool {
        guard CenterNames.contain(notification.name) else { return false }
        return (try? notification.payload.userInfo)?[key] != nil
    }

    // MARK: - Posts

    @Test(.rule(43)) func `A post that fails leaves the value before, for all`() async throws {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        a.transport.fail(with: DistributedPostError(.bufferIsFull, "full"))
        a.post(2)
        a.transport.fail(with: nil)
        #expect(a.problems.entries.count == 1)
        #expect(a.latest() == 1)
        #expect(a.transport.count == 0)
        let heard = await b.observeLate()
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [1])
    }

    @Test(.rule(43)) func `A question during a post is answered behind the post`() async throws {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        let heard = await b.observeLate()
        let questions = b.transport.takeSent()
        a.transport.duringNextSend { [a = a.transport, b = b.transport] in
            for question in questions { a.receive(question, from: b) }
        }
        a.post(2)
        let sent = a.transport.takeSent()
        #expect(sent.map(\.name) == [Self.name.rawValue, CenterNames.answers])
        // The question came too late for the post to be sent to b, too.
        for answer in sent.dropFirst() { b.transport.receive(answer, from: a.transport) }
        #expect(heard.entries == [2])
    }

    @Test(.rule(43)) func `A question during a post that fails is answered with the value before`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        let heard = await b.observeLate()
        let questions = b.transport.takeSent()
        // The first post is on its way while the second one fails, and the question comes between.
        a.transport.duringNextSend { [a = a.transport, b = b.transport] in
            for question in questions { a.receive(question, from: b) }
        }
        let large = [UInt8](repeating: 1, count: 17 << 20)
        a.center.post(
            name: Self.name, object: nil, userInfo: ["number": Data(large)], retaining: .latest)
        #expect(a.problems.entries.count == 1)
        #expect(a.latest() == 1)
        for question in questions { a.transport.receive(question, from: b.transport) }
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [1])
    }

    @Test(.rule(43)) func `A value that no answer has room for is refused when it is posted`()
        throws
    {
        let a = try Party("a")
        let data = Data(repeating: 1, count: (16 << 20) - 500)
        a.center.post(name: Self.name, object: nil, userInfo: ["data": data], retaining: .latest)
        #expect(a.problems.entries.count == 1)
        #expect(a.problems.entries.first?.contains("put it into a file") == true)
        #expect(a.transport.count == 0)
        // Without being kept, it can be sent.
        a.center.post(name: Self.name, object: nil, userInfo: ["data": data])
        #expect(a.transport.count == 1)
    }

    // MARK: - Which value is later

    @Test(.rule(43)) func `Two processes that post at the same moment agree on one value`()
        async throws
    {
        let (a, b, c) = (try Party("a"), try Party("b"), try Party("c"))
        a.post(1)
        b.post(2)
        let (ofA, ofB) = (a.transport.takeSent(), b.transport.takeSent())
        for notification in ofA where CenterNames.contain(notification.name) {
            b.transport.receive(notification, from: a.transport)
        }
        for notification in ofB where CenterNames.contain(notification.name) {
            a.transport.receive(notification, from: b.transport)
        }
        #expect(a.latest() == nil)
        #expect(b.latest() == 2)
        // b told that its value is later, because a did not seem to know.
        b.transport.carry(to: a.transport)
        let heard = await c.observeLate()
        c.transport.carry(to: a.transport, b.transport)
        a.transport.carry(to: c.transport)
        b.transport.carry(to: c.transport)
        #expect(heard.entries == [2])
    }

    @Test(.rule(43)) func `A process that was told of a later value does not keep its own`() throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let heard = a.observe()
        a.transport.duringNextSend { [a = a.transport, b] in
            b.post(2)
            b.transport.carry(to: a)
        }
        // Its time is earlier than that of the value of b, which comes while it is being sent.
        a.post(1)
        #expect(a.latest() == nil)
        // An ordinary observer hears the post all the same.
        #expect(heard.entries == [1])
    }

    @Test(.rule(43)) func `Of equal times, the process decides`() throws {
        let topic = ReceivedTopic(name: "A", object: nil)
        func value(_ time: UInt64, _ process: String) -> SharedLatestValue {
            SharedLatestValue(endOf: topic, LatestStamp(time: time, process: process))
        }
        #expect(value(1, "b").isLater(than: value(1, "a")))
        #expect(!value(1, "a").isLater(than: value(1, "b")))
        #expect(!value(1, "a").isLater(than: value(1, "a")))
        #expect(value(2, "a").isLater(than: value(1, "b")))
    }

    @Test(.rule(43))
    func `A post that is older than the known value is for ordinary observers only`()
        async throws
    {
        let (a, b, c) = (try Party("a"), try Party("b"), try Party("c"))
        let (late, plain) = (await c.observeLate(), c.observe())
        c.transport.tell()
        a.post(1)
        b.post(2)
        b.transport.carry(to: c.transport)
        a.transport.carry(to: c.transport)
        #expect(late.entries == [2])
        #expect(plain.entries == [2, 1])
        #expect(c.latest() == 2)
    }

    @Test(.rule(43)) func `A suspended center delivers the later value last, whatever came last`()
        async throws
    {
        let (a, b, c) = (try Party("a"), try Party("b"), try Party("c"))
        let (late, plain) = (await c.observeLate(), c.observe())
        c.transport.tell()
        c.center.suspended = true
        a.post(1)
        b.post(2)
        b.transport.carry(to: c.transport)
        a.transport.carry(to: c.transport)
        c.center.suspended = false
        #expect(late.entries == [2])
        #expect(plain.entries == [2])
    }

    @Test(.rule(43))
    func `A suspended center holds the later value, also if the older one is still on its way`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let (heard, plain) = (Log<Int>(), Log<Int>())
        let isFirst = Guarded(true)
        let condition: @Sendable (Notification) -> Bool = { [weak b] _ in
            // Asked while the value of a comes in: b posts a later one, which is held first.
            if isFirst.exchange(false) { b?.post(2) }
            return true
        }
        for (options, log) in [
            (ObservationOptions.standard.replayingLatest, heard), (.where(condition), plain),
        ] {
            b.keep(
                b.center.observe(Self.name, on: .poster, options: options) {
                    log.add($0.userInfo?["number"] as? Int ?? -1)
                })
        }
        b.transport.tell()
        b.center.suspended = true
        a.post(1)
        a.transport.carry(to: b.transport)
        b.center.suspended = false
        #expect(heard.entries == [2])
        #expect(plain.entries == [2])
        #expect(b.latest() == 2)
    }

    @Test(.rule(43)) func `A value from before the clock was set right does not stay for long`()
        throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let late = Log<Int>()
        a.keep(
            a.center.observe(Self.name, on: .poster, options: .replayingLatest) {
                late.add($0.userInfo?["number"] as? Int ?? -1)
            })
        let topic = ReceivedTopic(name: Self.name.rawValue, object: nil)
        for ahead in [LatestClock.mostAhead - 1_000_000_000, 2 * LatestClock.mostAhead] {
            func know() {
                let stamp = LatestStamp(time: LatestClock.now + ahead, process: "z")
                let value = SharedLatestValue(endOf: topic, stamp)
                let engine = a.transport.intake.engine
                #expect(engine.retain(value, topic.topic, topic.subject).isKept)
            }
            know()
            a.center.removeLatest(Self.name)
            know()
            a.post(1)
            #expect(a.latest() == 1)
            #expect(a.center.removeLatest(Self.name) != nil)
            #expect(a.latest() == nil)
        }
        #expect(late.entries == [1, 1])
        withExtendedLifetime(b) {}
    }

    @Test(.rule(43)) func `A time is later than those before, unless they can't be`() {
        let clock = LatestClock()
        let known = LatestClock.now + LatestClock.mostAhead / 2
        // A clock can't be copied into an expectation.
        let first = [clock.next(after: known), clock.next()]
        #expect(first == [known + 1, known + 2])
        let isAccepted = clock.accept(known + 10)
        let isRefused = !clock.accept(LatestClock.now + 2 * LatestClock.mostAhead)
        #expect(isAccepted && isRefused)
        let then = [clock.next(), clock.next(after: .max)]
        #expect(then == [known + 11, known + 12])
    }

    // MARK: - Each value once

    @Test(.rule(43)) func `A post that comes before the answer is not heard again with it`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        let heard = await b.observeLate()
        let question = b.transport.takeSent()
        a.post(2)
        a.transport.carry(to: b.transport)
        for question in question { a.transport.receive(question, from: b.transport) }
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [2])
    }

    @Test(.rule(43))
    func `A post that comes before the others were told of the observer is heard once`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        b.transport.holdWaits()
        let heard = Log<Int>()
        b.keep(
            b.center.observe(Self.name, on: .poster, options: .replayingLatest) {
                heard.add($0.userInfo?["number"] as? Int ?? -1)
            })
        await until { [b = b.transport] in b.waitCount == 1 }
        a.post(1)
        // b observes it, and has not told so: it comes all the same.
        for post in a.transport.takeSent() { b.transport.receive(post, from: a.transport) }
        #expect(heard.entries == [1])
        b.transport.tell()
        b.transport.endWaits()
        await until { [b = b.transport] in b.count > 0 }
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [1])
    }

    @Test(.rule(43)) func `An observer that comes as the last one goes hears the value once`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        _ = await b.observeLate()
        b.transport.tell()
        a.post(1)
        a.transport.carry(to: b.transport)
        b.cancelAll()
        let again = Log<Int>()
        // The others are told that the observation has ended after the next one has begun.
        b.keep(
            b.center.observe(Self.name, on: .poster, options: .replayingLatest) {
                again.add($0.userInfo?["number"] as? Int ?? -1)
            })
        #expect(again.entries == [1])
        b.transport.tell()
        await until { [b = b.transport] in b.count > 0 }
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(again.entries == [1])
    }

    @Test(.rule(43)) func `Bounds, paces and groups do not count a value of another process`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let objects = (0..<6).map { "object \($0)" }
        for (number, object) in objects.enumerated() { a.post(number, object) }
        a.transport.carry(to: b.transport)
        let mailbox = DeliveryMailbox(target: ByHand())
        let logs = (bound: Log<Int>(), paced: Log<Int>(), first: Log<Int>(), second: Log<Int>())
        func observe(_ options: ObservationOptions, in log: Log<Int>) {
            b.keep(
                b.center.observe(
                    Self.name, on: .mailbox(mailbox), options: options.replayingLatest
                ) { log.add($0.userInfo?["number"] as? Int ?? -1) })
        }
        observe(.bounded(.dropOldest(above: 2)), in: logs.bound)
        observe(.paced(.throttle(.seconds(3_600))), in: logs.paced)
        observe(.inGroup("workers"), in: logs.first)
        observe(.inGroup("workers"), in: logs.second)
        await until { [b = b.transport] in b.count > 0 }
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        mailbox.drain()
        for log in [logs.bound, logs.paced, logs.first, logs.second] {
            #expect(log.entries.sorted() == Array(objects.indices))
        }
    }

    @Test(.rule(43)) func `A value that a handler supersedes is not heard behind the later one`()
        throws
    {
        let a = try Party("a")
        let second = Log<Int>()
        // The first observer posts again before the second one has heard the post.
        a.keep(
            a.center.observe(Self.name, on: .poster, options: .replayingLatest) { [weak a] note in
                if note.userInfo?["number"] as? Int == 1 { a?.post(2) }
            })
        a.keep(
            a.center.observe(Self.name, on: .poster, options: .replayingLatest) {
                second.add($0.userInfo?["number"] as? Int ?? -1)
            })
        a.post(1)
        #expect(second.entries == [2])
    }

    // MARK: - Ends

    @Test(.rule(43)) func `A value does not come back with an answer that was on its way`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        let heard = await b.observeLate()
        b.transport.carry(to: a.transport)
        let answers = a.transport.takeSent()
        #expect(answers.map(\.name) == [CenterNames.answers])
        b.center.removeLatest(Self.name)
        for answer in answers { b.transport.receive(answer, from: a.transport) }
        #expect(b.latest() == nil)
        #expect(heard.entries == [])
        b.transport.carry(to: a.transport)
        #expect(a.latest() == nil)
    }

    @Test(.rule(43)) func `A value that was removed during its post does not come back`() throws {
        let a = try Party("a")
        a.transport.duringNextSend { [a] in a.center.removeLatest(Self.name) }
        a.post(1)
        #expect(a.latest() == nil)
    }

    @Test(.rule(43)) func `Removing a value does not end one that is posted at the same moment`()
        throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        b.center.removeLatest(Self.name)
        a.post(2)
        b.transport.carry(to: a.transport)
        #expect(a.latest() == 2)
    }

    @Test func `What is added again is forgotten last`() {
        var remembered = Remembered<Int>()
        for number in 0..<Remembered<Int>.most { #expect(remembered.add(number) == nil) }
        #expect(remembered.add(0) == nil)
        #expect(remembered.add(-1) == 1)
        #expect(remembered.contains(0) && !remembered.contains(1))
        remembered.remove(2)
        #expect(remembered.add(-2) == nil)
        #expect(remembered.add(-3) == 3)
    }

    @Test(.rule(43)) func `A limited number of ends is remembered`() throws {
        let a = try Party("a")
        for number in 0..<(Remembered<DistributedInterest>.most * 2) {
            a.center.removeLatest(Self.name, of: "\(number)")
        }
        let kept = a.transport.intake.engine.latestValues(of: .anyName, about: .none)
        #expect(kept.count == Remembered<DistributedInterest>.most)
    }

    @Test(.rule(43)) func `An end that was lost is told again`() throws {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        b.center.removeLatest(Self.name)
        // The connection breaks.
        _ = b.transport.takeSent()
        b.transport.intake.connectionIsBack()
        b.transport.carry(to: a.transport)
        #expect(a.latest() == nil)
    }

    @Test(.rule(43)) func `What a process that has gone had superseded does not come back`()
        async throws
    {
        let (a, b, c) = (try Party("a"), try Party("b"), try Party("c"))
        let heard = await c.observeLate()
        c.transport.tell()
        a.post(1)
        b.post(2)
        // c hears of b alone, and a of nobody.
        b.transport.carry(to: c.transport)
        c.transport.intake.hasGone(b.transport.ownPeer)
        #expect(c.latest() == nil)
        a.transport.carry(to: c.transport)
        #expect(heard.entries == [2])
        #expect(c.latest() == nil)
        // c says so in the name of b.
        c.transport.carry(to: a.transport)
        #expect(a.latest() == nil)
    }

    @Test(.rule(43)) func `What comes from a process that has gone is heard and not kept`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let heard = await b.observeLate()
        b.transport.tell()
        a.post(1)
        a.post(2)
        let sent = a.transport.takeSent().filter { $0.name == Self.name.rawValue }
        b.transport.receive(sent[0], from: a.transport)
        #expect(b.latest() == 1)
        b.transport.intake.hasGone(a.transport.ownPeer)
        #expect(b.latest() == nil)
        b.transport.receive(sent[1], from: a.transport)
        #expect(heard.entries == [1, 2])
        #expect(b.latest() == nil)
        // It is there after all.
        b.transport.intake.hasCome(a.transport.ownPeer)
        a.post(3)
        a.transport.carry(to: b.transport)
        #expect(b.latest() == 3)
    }

    @Test(.rule(43)) func `Values end in all processes with the one that posted them`() async throws
    {
        let network = InMemoryNetwork()
        let hearer = try network.center(named: "hearer")
        let heard = Log<Int>()
        let token = hearer.observe(Self.name, on: .poster, options: .replayingLatest) {
            heard.add($0.userInfo?["number"] as? Int ?? -1)
        }
        do {
            let poster = try network.center(named: "poster")
            await hearer.waitUntilReady(within: .seconds(60))
            poster.post(name: Self.name, object: nil, userInfo: ["number": 1], retaining: .latest)
            await heard.arrival(of: 1)
            #expect(hearer.latest(Self.name) != nil)
        }
        await until { hearer.latest(Self.name) == nil }
        token.cancel()
    }

    // MARK: - What may be missed

    @Test(.rule(43))
    func `A process that becomes ready is asked again, while others are not ready yet`()
        async throws
    {
        let b = try Party("b")
        b.transport.holdWaits()
        b.keep(
            b.center.observe(Self.name, on: .poster, options: .replayingLatest) { _ in })
        for (silent, questions) in [(2, 1), (1, 2), (1, 2), (0, 3)] {
            await until { [b = b.transport] in b.waitCount == 1 }
            b.transport.endOneWait(silent: silent)
            await until { [b = b.transport] in
                b.count == questions && b.waitCount == min(silent, 1)
            }
            #expect(b.transport.count == questions)
        }
        #expect(b.transport.takeSent().allSatisfy { says("asker", $0) })
    }

    @Test(.rule(43)) func `A question is asked again if a process did not answer in time`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        b.transport.holdWaits()
        b.keep(
            b.center.observe(Self.name, on: .poster, options: .replayingLatest) { _ in })
        await until { [b = b.transport] in b.waitCount == 1 }
        b.transport.endWaits()
        await until { [b = b.transport] in b.count == 2 }
        #expect(b.transport.takeSent().allSatisfy { says("asker", $0) })
        withExtendedLifetime(a) {}
    }

    @Test(.rule(43)) func `A value that was lost with its connection is asked for`() async throws {
        let network = InMemoryNetwork()
        let (poster, hearer) = (
            try network.center(named: "poster"), try network.center(named: "hearer")
        )
        hearer.onProblem { _ in }
        poster.onProblem { _ in }
        let heard = Log<Int>()
        let token = hearer.observe(Self.name, on: .poster, options: .replayingLatest) {
            heard.add($0.userInfo?["number"] as? Int ?? -1)
        }
        await hearer.waitUntilReady(within: .seconds(60))
        network.hold(from: "poster", to: "hearer")
        poster.post(name: Self.name, object: nil, userInfo: ["number": 1], retaining: .latest)
        network.disconnect("poster", "hearer")
        network.release(from: "poster", to: "hearer")
        #expect(await heard.arrival(of: 1) == [1])
        token.cancel()
    }

    @Test(.rule(43)) func `An answer does not overtake what a suspended center holds`() async throws
    {
        let (a, b, c) = (try Party("a"), try Party("b"), try Party("c"))
        a.post(0)
        a.transport.carry(to: b.transport)
        let heard = await c.observeLate()
        c.transport.tell()
        c.transport.carry(to: a.transport)
        a.transport.carry(to: c.transport)
        #expect(heard.entries == [0])
        c.center.suspended = true
        a.post(1)
        a.transport.carry(to: c.transport)
        // b posts a later one, of which c hears only by an answer.
        b.post(2)
        _ = b.transport.takeSent()
        c.transport.intake.connectionIsBack()
        await until { [c = c.transport] in c.count > 0 }
        c.transport.carry(to: b.transport)
        b.transport.carry(to: c.transport)
        #expect(heard.entries == [0])
        c.center.suspended = false
        #expect(heard.entries == [0, 1])
        await until { [c = c.transport] in c.count > 0 }
        c.transport.carry(to: b.transport)
        b.transport.carry(to: c.transport)
        #expect(heard.entries == [0, 1, 2])
    }

    @Test(.rule(43)) func `A question is asked behind the interest of its observer`() async throws {
        let b = try Party("b")
        b.transport.holdWaits()
        func observe(_ name: String) {
            b.keep(
                b.center.observe(
                    Notification.Name(name), on: .poster, options: .replayingLatest
                ) { _ in })
        }
        observe("first")
        await until { [b = b.transport] in b.waitCount == 1 }
        // Comes while the others are being told of the first one.
        observe("second")
        b.transport.endOneWait()
        // Now the second question waits, and the first one to be asked again.
        await until { [b = b.transport] in b.waitCount == 2 }
        let names = b.transport.takeSent().map { try? $0.payload.userInfo?["name"] as? String }
        #expect(names == ["first"])
        b.transport.endWaits()
        await until { [b = b.transport] in b.count >= 2 }
    }

    @Test(.rule(43)) func `A suspended center hears an answer when it resumes`() async throws {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        b.center.suspended = true
        let heard = await b.observeLate()
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [])
        b.center.suspended = false
        await until { [b = b.transport] in b.count > 0 }
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [1])
    }

    @Test(.rule(43)) func `Observers that are not suspended hear an answer at once`() async throws {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        b.center.suspended = true
        let heard = Log<Int>()
        b.keep(
            b.center.observe(
                Self.name, on: .poster,
                options: .whenSuspended(.deliverImmediately).replayingLatest
            ) { heard.add($0.userInfo?["number"] as? Int ?? -1) })
        await until { [b = b.transport] in b.count > 0 }
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(heard.entries == [1])
    }

    @Test(.rule(43)) func `A suspended center keeps an old post for ordinary observers`()
        async throws
    {
        let (a, b, c) = (try Party("a"), try Party("b"), try Party("c"))
        let (late, plain) = (await c.observeLate(), c.observe())
        c.transport.tell()
        a.post(1)
        b.post(2)
        b.transport.carry(to: c.transport)
        c.center.suspended = true
        a.transport.carry(to: c.transport)
        c.center.suspended = false
        #expect(late.entries == [2])
        #expect(plain.entries == [2, 1])
    }

    // MARK: - Bytes and clocks of others

    @Test(.rule(43)) func `A value from a clock that is far ahead is delivered and not kept`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let (late, plain) = (await b.observeLate(), b.observe())
        b.transport.tell()
        for number in 1...2 {
            b.transport.receive(
                OutgoingNotification(
                    name: Self.name.rawValue, object: nil,
                    payload: try DistributedPayload(userInfo: ["number": number]),
                    deliversImmediately: false,
                    keptAt: LatestClock.now + 2 * LatestClock.mostAhead), from: a.transport)
        }
        #expect(late.entries == [1, 2])
        #expect(plain.entries == [1, 2])
        #expect(b.latest() == nil)
        #expect(b.problems.entries.count == 1)
        #expect(b.problems.entries.first?.contains("set the clocks right") == true)
        // Its own values are kept as ever.
        b.post(3)
        #expect(b.latest() == 3)
    }

    @Test(.rule(43)) func `Questions and answers that make no sense are passed over`() async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        a.post(1)
        a.transport.carry(to: b.transport)
        let all = Log<String>()
        a.keep(a.center.observe(nil, on: .poster) { all.add($0.name.rawValue) })
        let long = String(repeating: "x", count: 70_000)
        let time = Int(LatestClock.now)
        let messages: [(String, [AnyHashable: Any])] = [
            (CenterNames.questions, ["asker": String(repeating: "x", count: 65)]),
            (CenterNames.questions, ["asker": 1]),
            (CenterNames.questions, ["asker": "b", "name": long]),
            (CenterNames.questions, ["asker": "b", "name": CenterNames.questions]),
            (CenterNames.questions, ["name": CenterNames.questions, "ended": time]),
            (CenterNames.questions, ["name": long, "ended": time]),
            (CenterNames.questions, ["name": "A", "ended": -1]),
            (CenterNames.questions, ["again": 7]),
            (
                CenterNames.answers,
                ["name": CenterNames.questions, "time": time, "kind": 0, "data": Data()]
            ),
            (CenterNames.answers, ["name": "A", "time": time, "kind": 99, "data": Data()]),
            (
                CenterNames.answers,
                ["name": "A", "object": long, "time": time, "kind": 0, "data": Data()]
            ),
        ]
        for (name, info) in messages {
            a.transport.receive(
                OutgoingNotification(
                    name: name, object: nil, payload: try DistributedPayload(userInfo: info),
                    deliversImmediately: true), from: b.transport)
        }
        #expect(a.transport.count == 0)
        #expect(all.entries == [])
        #expect(a.problems.entries == [])
        #expect(a.latest() == 1)
    }

    @Test(.rule(43))
    func `A name of the centers can't be posted, nor kept if another process does`()
        throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let name = Notification.Name(CenterNames.questions)
        a.center.post(name: name, object: nil, retaining: .latest)
        a.center.post(name: name, object: nil)
        #expect(a.problems.entries.count == 2)
        #expect(a.problems.entries.allSatisfy { $0.contains("take another one") })
        #expect(a.transport.count == 0)
        let all = Log<String>()
        b.keep(b.center.observe(nil, on: .poster) { all.add($0.name.rawValue) })
        for object in ["1", "2"] {
            b.transport.receive(
                OutgoingNotification(
                    name: name.rawValue, object: object,
                    payload: try DistributedPayload(userInfo: nil),
                    deliversImmediately: false, keptAt: LatestClock.now), from: a.transport)
        }
        #expect(b.center.latest(name, of: "1") == nil)
        #expect(all.entries == [])
    }

    @Test(.rule(43)) func `An observer of a name of the centers hears nothing, and ends nothing`()
        async throws
    {
        let (a, b) = (try Party("a"), try Party("b"))
        let heard = Log<Int>()
        let name = Notification.Name(CenterNames.questions)
        let token = a.center.observe(name, on: .poster) { _ in heard.add(0) }
        a.transport.tell()
        token.cancel()
        #expect(
            Set(a.transport.tell().map(\.name)) == [CenterNames.questions, CenterNames.answers])
        a.post(1)
        a.transport.carry(to: b.transport)
        let late = await b.observeLate()
        b.transport.carry(to: a.transport)
        a.transport.carry(to: b.transport)
        #expect(late.entries == [1])
        #expect(heard.entries == [])
    }

    @Test(.rule(43)) func `A transport that does not share values keeps them in each process`()
        throws
    {
        let a = try Party("a", sharesLatestValues: false)
        a.post(1)
        #expect(a.latest() == 1)
        #expect(a.transport.takeSent().map(\.name) == [Self.name.rawValue])
        let late = Log<Int>()
        a.keep(
            a.center.observe(Self.name, on: .poster, options: .replayingLatest) {
                late.add($0.userInfo?["number"] as? Int ?? -1)
            })
        #expect(late.entries == [1])
        #expect(a.center.removeLatest(Self.name) != nil)
        #expect(a.latest() == nil)
        #expect(a.transport.count == 0)
    }
}
