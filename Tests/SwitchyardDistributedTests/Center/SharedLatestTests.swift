// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("The latest values between processes", .timeLimit(.minutes(5)))
struct SharedLatestTests {
    private let network = InMemoryNetwork()
    private let name = Notification.Name("level.changed")

    private struct Level: DistributedMessage, Equatable {
        var value: Int
    }

    private func center(_ name: String) throws -> DistributedNotificationCenter {
        try network.center(named: name)
    }

    /// Waits until all of `centers` know what the others observe.
    private func ready(_ centers: DistributedNotificationCenter...) async {
        for center in centers {
            #expect(await center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
    }

    private func post(
        _ number: Int, by center: DistributedNotificationCenter, object: String? = nil
    ) {
        center.post(
            name: name, object: object, userInfo: ["number": number], retaining: .latest)
    }

    /// Logs the numbers that a late observer hears.
    private func observeLate(
        _ center: DistributedNotificationCenter, object: String? = nil, in log: Log<Int>
    ) -> ObservationToken {
        center.observe(name, of: object, on: .poster, options: .replayingLatest) {
            log.add($0.userInfo?["number"] as? Int ?? -1)
        }
    }

    @Test(.rule(43))
    func `A process that comes later hears the latest value once, and others are left alone`()
        async throws
    {
        let poster = try center("poster")
        post(1, by: poster)
        post(2, by: poster)
        let hearer = try center("hearer")
        let (plain, late) = (Log<Int>(), Log<Int>())
        let tokens = [
            hearer.observe(name, on: .poster) { plain.add($0.userInfo?["number"] as? Int ?? -1) },
            observeLate(hearer, in: late),
        ]
        #expect(await late.arrival(of: 1) == [2])
        await ready(hearer, poster)
        post(3, by: poster)
        #expect(await late.arrival(of: 2) == [2, 3])
        #expect(plain.entries == [3])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43)) func `Each object has its latest value, and one may be asked for`()
        async throws
    {
        let poster = try center("poster")
        for (number, object) in [(1, "a"), (2, "b"), (3, "a"), (4, "c")] {
            post(number, by: poster, object: object)
        }
        post(5, by: poster)
        let hearers = (try center("one"), try center("all"), try center("pattern"))
        let (one, all, pattern) = (Log<Int>(), Log<Int>(), Log<Int>())
        let tokens = [
            observeLate(hearers.0, object: "a", in: one),
            observeLate(hearers.1, in: all),
            hearers.2.observe(
                matching: "level.*", on: .poster, options: .replayingLatest
            ) { pattern.add($0.userInfo?["number"] as? Int ?? -1) },
        ]
        #expect(await one.arrival(of: 1) == [3])
        #expect(await all.arrival(of: 4).sorted() == [2, 3, 4, 5])
        #expect(await pattern.arrival(of: 4).sorted() == [2, 3, 4, 5])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43)) func `A message is kept as its type, and can be looked up where it was heard`()
        async throws
    {
        let (poster, hearer) = (try center("poster"), try center("hearer"))
        poster.post(Level(value: 1), retaining: .latest)
        let log = Log<Int>()
        let token = hearer.observe(Level.self, on: .poster, options: .replayingLatest) {
            log.add($0.value)
        }
        #expect(await log.arrival(of: 1) == [1])
        #expect(hearer.latest(Level.self) == Level(value: 1))
        await ready(hearer, poster)
        poster.post(Level(value: 2), retaining: .latest)
        #expect(await log.arrival(of: 2) == [1, 2])
        await until { hearer.latest(Level.self) == Level(value: 2) }
        // One that registers here now hears it at once.
        let later = Log<Int>()
        let second = hearer.observe(Level.self, on: .poster, options: .replayingLatest) {
            later.add($0.value)
        }
        #expect(later.entries == [2])
        for token in [token, second] { token.cancel() }
    }

    @Test(.rule(43)) func `Of two processes, the one that posted last answers`() async throws {
        let (first, second) = (try center("first"), try center("second"))
        post(1, by: first)
        await ready(first, second)
        post(2, by: second)
        await until { first.latest(name) == nil }
        for _ in 0..<5 {
            let (log, hearer) = (Log<Int>(), try center("hearer"))
            let token = observeLate(hearer, in: log)
            #expect(await log.arrival(of: 1) == [2])
            // An answer of the first would have come by now.
            await ready(hearer, first, second)
            let marks = Log<Int>()
            let mark = hearer.observe(Level.self, on: .poster) { marks.add($0.value) }
            await ready(hearer)
            for center in [first, second] { _ = try center.post(Level(value: 0)) as PostReceipt }
            _ = await marks.arrival(of: 2)
            #expect(log.entries == [2])
            for token in [token, mark] { token.cancel() }
        }
    }

    @Test(.rule(43)) func `A value that one process removes is gone in all`() async throws {
        let (poster, hearer) = (try center("poster"), try center("hearer"))
        let log = Log<Int>()
        let token = observeLate(hearer, in: log)
        await ready(hearer, poster)
        post(1, by: poster)
        _ = await log.arrival(of: 1)
        await until { hearer.latest(name) != nil }
        await ready(hearer, poster)
        #expect(hearer.removeLatest(name) != nil)
        await until { poster.latest(name) == nil }
        post(2, by: poster)
        #expect(await log.arrival(of: 2) == [1, 2])
        await until { hearer.latest(name) != nil }
        _ = poster.removeLatest(name)
        await until { hearer.latest(name) == nil }
        token.cancel()
    }

    @Test(.rule(43)) func `A value that nothing observes any more is asked for anew`() async throws
    {
        let (poster, hearer) = (try center("poster"), try center("hearer"))
        let log = Log<Int>()
        let token = observeLate(hearer, in: log)
        await ready(hearer, poster)
        post(1, by: poster)
        _ = await log.arrival(of: 1)
        token.cancel()
        await until { hearer.latest(name) == nil }
        await ready(hearer, poster)
        post(2, by: poster)
        let later = Log<Int>()
        let again = observeLate(hearer, in: later)
        // An answer to the first question may still have been on its way.
        await until { later.entries.last == 2 }
        #expect([[2], [1, 2]].contains(later.entries))
        #expect(log.entries == [1])
        again.cancel()
    }

    @Test(.rule(43)) func `A suspended center keeps the value that comes, and delivers it once`()
        async throws
    {
        let (poster, hearer) = (try center("poster"), try center("hearer"))
        let (early, late) = (Log<Int>(), Log<Int>())
        let token = observeLate(hearer, in: early)
        await ready(hearer, poster)
        hearer.suspended = true
        post(1, by: poster)
        await until { hearer.latest(name) != nil }
        let second = observeLate(hearer, in: late)
        #expect(late.entries == [1])
        hearer.suspended = false
        #expect(await early.arrival(of: 1) == [1])
        #expect(late.entries == [1])
        for token in [token, second] { token.cancel() }
    }

    @Test(.rule(43))
    func `Observers that come during posts hear one value first, and all that follow once`()
        async throws
    {
        let poster = try center("poster")
        let count = 3_000
        let logs = Guarded<[Log<Int>]>([])
        let isOver = Guarded(false)
        let posting = Task.detached { [self] in
            for number in 1...count {
                post(number, by: poster)
                if number.isMultiple(of: 64) { await Task.yield() }
            }
            isOver.withLock { $0 = true }
        }
        let hearers = try (0..<3).map { try center("hearer \($0)") }
        var tokens: [ObservationToken] = []
        while !isOver.withLock({ $0 }), tokens.count < 300 {
            let log = Log<Int>()
            tokens.append(observeLate(hearers[tokens.count % 3], in: log))
            logs.withLock { $0.append(log) }
            if tokens.count.isMultiple(of: 50) { await ready(hearers[0]) }
        }
        await posting.value
        for log in logs.withLock({ $0 }) {
            await until { log.entries.last == count }
            let numbers = log.entries
            #expect(numbers == Array((numbers.first ?? 0)...count))
        }
        for token in tokens { token.cancel() }
    }
}
