// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardDistributedTesting
import SwitchyardTesting
import TestSupport
import Testing

@Suite("Groups between processes", .timeLimit(.minutes(5)))
struct SharedGroupTests {
    private struct Job: DistributedMessage {
        static let name = Notification.Name("job")
        var number: Int
    }

    private let network = InMemoryNetwork()
    private let limit = Duration.seconds(60)

    private func centers(_ count: Int) throws -> [DistributedNotificationCenter] {
        try (0..<count).map { try network.center(named: "\($0)") }
    }

    private func ready(_ centers: [DistributedNotificationCenter]) async {
        for center in centers { await center.waitUntilReady(within: limit) }
    }

    /// Registers a member of the group "g" that logs the numbers of its jobs.
    private func work(
        _ center: DistributedNotificationCenter, in log: Log<Int>,
        options: ObservationOptions = .standard
    ) -> ObservationToken {
        center.observe(Job.self, on: .poster, options: options.inGroup("g")) {
            log.add($0.number)
        }
    }

    @Test(.rule(46)) func `One member hears each post, whichever process posts it`() async throws {
        let centers = try centers(3)
        let (log, all) = (Log<Int>(), Log<Int>())
        let tokens = centers.map { work($0, in: log) }
        let plain = centers.map { center in
            center.observe(Job.self, on: .poster) { all.add($0.number) }
        }
        await ready(centers)
        await withThrowingTaskGroup(of: Void.self) { group in
            for (index, center) in centers.enumerated() {
                group.addTask {
                    for number in 0..<100 { try center.post(Job(number: index * 100 + number)) }
                }
            }
        }
        #expect(await log.arrival(of: 300).sorted() == Array(0..<300))
        #expect(await all.arrival(of: 900).count == 900)
        #expect(log.entries.count == 300)
        for token in tokens + plain { token.cancel() }
    }

    @Test(.rule(46)) func `Idle members come first, in whatever process they are`() async throws {
        let centers = try centers(3)
        let (started, done) = (Log<String>(), Log<Int>())
        let gate = Gate(1)
        func slow(_ center: DistributedNotificationCenter, _ name: String) -> ObservationToken {
            center.observe(Job.self, options: .inGroup("g")) { job async in
                started.add(name)
                await onOwnThread { _ = gate.wait() }
                done.add(job.number)
            }
        }
        // One process with three members, and one with one.
        let tokens = [
            slow(centers[1], "a"), slow(centers[1], "b"), slow(centers[1], "c"),
            slow(centers[2], "d"),
        ]
        await ready(centers)
        for number in 0..<4 {
            try centers[0].post(Job(number: number))
            _ = await started.arrival(of: number + 1)
        }
        #expect(started.entries.sorted() == ["a", "b", "c", "d"])
        gate.open()
        #expect(await done.arrival(of: 4).sorted() == [0, 1, 2, 3])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A member that is busy gets the next post only when the others are, too`()
        async throws
    {
        let centers = try centers(3)
        let (started, quick) = (Log<Int>(), Log<Int>())
        let gate = Gate(1)
        let tokens = [
            centers[1].observe(Job.self, options: .inGroup("g")) { job async in
                started.add(job.number)
                await onOwnThread { _ = gate.wait() }
            },
            work(centers[2], in: quick),
        ]
        await ready(centers)
        // One of the first two goes to each.
        try centers[0].post(Job(number: 0))
        try centers[0].post(Job(number: 1))
        _ = await started.arrival(of: 1)
        for number in 2..<20 {
            _ = await quick.arrival(of: number - 1)
            // Its answer has come, because it was sent before this one.
            _ = await centers[0].ping(
                try #require(centers[0].peers.first { $0.peer.processName == "2" }).peer,
                within: limit)
            try centers[0].post(Job(number: number))
        }
        #expect(await quick.arrival(of: 19).count == 19)
        #expect(started.entries.count == 1)
        gate.open()
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `Once a process has left, others hear its share`() async throws {
        var centers = try centers(3)
        let log = Log<Int>()
        let tokens = centers.dropFirst().map { work($0, in: log) }
        await ready(centers)
        for number in 0..<10 { try centers[0].post(Job(number: number)) }
        _ = await log.arrival(of: 10)
        centers.removeLast()
        await until { centers[0].peers.count == 1 }
        for number in 10..<20 { try centers[0].post(Job(number: number)) }
        #expect(await log.arrival(of: 20).sorted() == Array(0..<20))
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `If the chosen process has no member any more, another is chosen`()
        async throws
    {
        let centers = try centers(3)
        let (gone, log) = (Log<Int>(), Log<Int>())
        let leaving = work(centers[1], in: gone)
        await ready(centers)
        // The poster does not learn that the member has left, nor what becomes of the job.
        network.hold(from: "1", to: "0")
        leaving.cancel()
        try centers[0].post(Job(number: 1))
        let token = work(centers[2], in: log)
        await centers[2].waitUntilReady(within: limit)
        network.release(from: "1", to: "0")
        #expect(await log.arrival(of: 1) == [1])
        #expect(gone.entries == [])
        // The poster itself is chosen as well.
        network.hold(from: "2", to: "0")
        token.cancel()
        try centers[0].post(Job(number: 2))
        let own = work(centers[0], in: log)
        network.release(from: "2", to: "0")
        #expect(await log.arrival(of: 2) == [1, 2])
        own.cancel()
    }

    @Test(.rule(46)) func `A job for which no member is left is reported`() async throws {
        let centers = try centers(2)
        let (log, problems) = (Log<Int>(), Log<String>())
        centers[0].onProblem { problems.add("\($0.kind)") }
        let leaving = work(centers[1], in: log)
        await ready(centers)
        network.hold(from: "1", to: "0")
        leaving.cancel()
        try centers[0].post(Job(number: 1))
        network.release(from: "1", to: "0")
        #expect(await problems.arrival(of: 1) == ["undeliverable"])
        // From now on it is known.
        await centers[1].waitUntilReady(within: limit)
        try centers[0].post(Job(number: 2))
        await centers[1].waitUntilReady(within: limit)
        #expect(problems.entries == ["undeliverable"])
    }

    @Test(.rule(46), arguments: [false, true])
    func `If the poster's own member ends before its turn, another process is chosen`(
        isRetained: Bool
    ) async throws {
        let centers = try centers(2)
        let (own, log) = (Log<Int>(), Log<Int>())
        let gate = Gate(1)
        let thread = DeliveryThread(name: "busy")
        let tokens = [
            centers[0].observe(Job.self, on: .thread(thread), options: .inGroup("g")) {
                own.add($0.number)
            },
            work(centers[1], in: log),
        ]
        await ready(centers)
        thread.perform { _ = gate.wait() }
        for number in 0..<10 {
            if isRetained {
                centers[0].post(Job(number: number), retaining: .latest)
            } else {
                try centers[0].post(Job(number: number))
            }
        }
        tokens[0].cancel()
        gate.open()
        #expect(await log.arrival(of: 10).sorted() == Array(0..<10))
        #expect(own.entries == [])
        tokens[1].cancel()
    }

    @Test(.rule(46)) func `A condition has a member of another process hear the post`() async throws
    {
        let centers = try centers(3)
        let (odd, even) = (Log<Int>(), Log<Int>())
        let problems = Log<String>()
        for center in centers { center.onProblem { problems.add("\($0)") } }
        let tokens = [
            work(centers[1], in: odd, options: .where { (job: Job) in job.number % 2 == 1 }),
            work(centers[2], in: even, options: .where { (job: Job) in job.number % 2 == 0 }),
        ]
        await ready(centers)
        for number in 0..<20 { try centers[0].post(Job(number: number)) }
        #expect(await odd.arrival(of: 10).sorted() == (0..<10).map { $0 * 2 + 1 })
        #expect(await even.arrival(of: 10).sorted() == (0..<10).map { $0 * 2 })
        #expect(problems.entries == [])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `Each group hears each post, by names, patterns, objects and any name`()
        async throws
    {
        let centers = try centers(3)
        let log = Log<String>()
        let name = Notification.Name("a.b")
        func member(
            _ index: Int, _ group: String, _ name: Notification.Name?, of object: String? = nil
        ) -> ObservationToken {
            centers[index].observe(name, of: object, on: .poster, options: .inGroup(group)) {
                log.add("\(group) \($0.object ?? "")")
            }
        }
        let tokens = [
            member(1, "name", name), member(2, "name", name),
            member(1, "any", nil), member(2, "any", nil), member(0, "any", nil),
            member(1, "object", name, of: "x"), member(2, "object", name, of: "x"),
            centers[1].observe(
                matching: "a.*", on: .poster, options: .inGroup("pattern")
            ) { log.add("pattern \($0.object ?? "")") },
            centers[2].observe(
                matching: "*.b", on: .poster, options: .inGroup("pattern")
            ) { log.add("pattern \($0.object ?? "")") },
        ]
        await ready(centers)
        centers[0].post(name: name, object: "x")
        centers[1].post(name: name, object: "y")
        let expected = [
            "any x", "any y", "name x", "name y", "object x", "pattern x", "pattern y",
        ]
        #expect(await log.arrival(of: 7).sorted() == expected)
        for center in centers { await center.waitUntilFlushed(within: limit) }
        await ready(centers)
        #expect(log.entries.count == 7)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46))
    func `A suspended process is not chosen by itself, and keeps what others give it`() async throws
    {
        let centers = try centers(2)
        let (own, other) = (Log<Int>(), Log<Int>())
        let tokens = [work(centers[0], in: own), work(centers[1], in: other)]
        await ready(centers)
        centers[0].suspended = true
        for number in 0..<10 { try centers[0].post(Job(number: number)) }
        #expect(await other.arrival(of: 10).count == 10)
        centers[0].suspended = false
        #expect(own.entries == [])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43, 46))
    func `A value that is kept is heard by one member, and by those that come late`() async throws {
        let centers = try centers(3)
        let log = Log<Int>()
        let tokens = centers.map { work($0, in: log) }
        await ready(centers)
        centers[0].post(Job(number: 7), retaining: .latest)
        _ = await log.arrival(of: 1)
        // The value may come to the third center after a member of another one has heard it.
        await until { centers[2].latest(Job.self) != nil }
        let late = Log<Int>()
        let token = work(centers[2], in: late, options: .replayingLatest)
        #expect(await late.arrival(of: 1) == [7])
        #expect(log.entries == [7])
        for token in tokens + [token] { token.cancel() }
    }

    @Test(.rule(12, 46)) func `A post that waits does so for members here, and not for others`()
        async throws
    {
        let centers = try centers(2)
        let log = Log<Int>()
        let tokens = centers.map { work($0, in: log) }
        await ready(centers)
        for number in 0..<10 {
            _ = try await centers[0].postAndWait(Job(number: number), timeout: limit)
        }
        #expect(await log.arrival(of: 10).sorted() == Array(0..<10))
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A post that the poster's own members refuse is heard elsewhere`()
        async throws
    {
        let centers = try centers(2)
        let (odd, even) = (Log<Int>(), Log<Int>())
        let tokens = [
            work(centers[0], in: odd, options: .where { (job: Job) in job.number % 2 == 1 }),
            work(centers[1], in: even, options: .where { (job: Job) in job.number % 2 == 0 }),
        ]
        await ready(centers)
        for number in 0..<40 { try centers[0].post(Job(number: number)) }
        #expect(await odd.arrival(of: 20).sorted() == (0..<20).map { $0 * 2 + 1 })
        #expect(await even.arrival(of: 20).sorted() == (0..<20).map { $0 * 2 })
        for token in tokens { token.cancel() }
    }

    @Test(.rule(10, 46)) func `A job that a member posts to itself waits for its turn`()
        async throws
    {
        let centers = try centers(2)
        let worker = DeliveryThread(name: "worker")
        let (center, log) = (centers[0], Log<String>())
        let tokens = [
            center.observe(Job.self, on: .thread(worker), options: .inGroup("g")) {
                [weak center] job in
                log.add("begin \(job.number)")
                if job.number < 3 { _ = try center?.post(Job(number: job.number + 1)) }
                log.add("end \(job.number)")
            },
            work(centers[1], in: Log<Int>()),
        ]
        await ready(centers)
        // So that it is not chosen.
        centers[1].suspended = true
        await ready(centers)
        try center.post(Job(number: 0))
        let expected = (0...3).flatMap { ["begin \($0)", "end \($0)"] }
        #expect(await log.arrival(of: 8) == expected)
        for token in tokens { token.cancel() }
        worker.stop()
    }

    @Test(.rule(28, 46)) func `A job for which a member here has no room is refused at once`()
        async throws
    {
        let centers = try centers(2)
        let (mailbox, heard) = (ManualMailbox(), Log<Int>())
        let tokens = [
            centers[0].observe(
                Job.self, on: mailbox.context,
                options: .inGroup("g").bounded(.wait(above: 1))
            ) { heard.add($0.number) },
            work(centers[1], in: Log<Int>()),
        ]
        await ready(centers)
        // So that it is not chosen.
        centers[1].suspended = true
        await ready(centers)
        let receipts = try (0..<3).map { try centers[0].post(Job(number: $0)) }
        // Each goes to the other process as well, whose members pass it over.
        #expect(receipts.map { $0.queued - 1 } == [1, 0, 0])
        #expect(receipts.map(\.refused) == [0, 1, 1])
        mailbox.drain()
        #expect(heard.entries == [0])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `Members that come and go cost no post`() async throws {
        let centers = try centers(3)
        let (log, problems) = (Log<Int>(), Log<String>())
        for center in centers { center.onProblem { problems.add("\($0)") } }
        let steady = work(centers[1], in: log)
        await ready(centers)
        await withTaskGroup(of: Void.self) { group in
            for center in centers {
                group.addTask {
                    await onOwnThread { for _ in 0..<300 { work(center, in: log).cancel() } }
                }
            }
            group.addTask {
                await onOwnThread {
                    for number in 0..<1_000 {
                        _ = try? centers[number % 3].post(Job(number: number))
                    }
                }
            }
        }
        _ = await log.arrival(of: 1_000)
        #expect(log.entries.sorted() == Array(0..<1_000))
        #expect(problems.entries == [])
        steady.cancel()
    }

    @Test(.rule(46))
    func
        `While a process is suspended, its group and its other observers lose nothing to each other`()
        async throws
    {
        let centers = try centers(2)
        let (plain, log) = (Log<Int>(), Log<Int>())
        let tokens = [
            centers[1].observe(Job.self, on: .poster) { plain.add($0.number) },
            work(centers[1], in: log),
        ]
        await ready(centers)
        centers[1].suspended = true
        try centers[0].post(Job(number: 1))
        let marked = Log<Int>()
        let marker = centers[1].observe(
            Notification.Name("marker"), on: .poster,
            options: .whenSuspended(.deliverImmediately)
        ) { _ in marked.add(0) }
        await centers[1].waitUntilReady(within: limit)
        centers[0].post(name: Notification.Name("marker"), object: nil)
        _ = await marked.arrival(of: 1)
        #expect(plain.entries + log.entries == [1, 1])
        centers[1].suspended = false
        #expect(await plain.arrival(of: 1) == [1])
        #expect(await log.arrival(of: 1) == [1])
        for token in tokens + [marker] { token.cancel() }
    }

    @Test(.rule(46))
    func `A group that a notification's handler posts to again hears each post once`() async throws
    {
        let centers = try centers(2)
        let log = Log<Int>()
        let tokens = centers.map { center in
            center.observe(Job.self, on: .poster, options: .inGroup("g")) { job in
                log.add(job.number)
                if job.number < 50 { try center.post(Job(number: job.number + 1)) }
            }
        }
        await ready(centers)
        try centers[0].post(Job(number: 0))
        #expect(await log.arrival(of: 51).sorted() == Array(0...50))
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A post for many members waits for nobody's room`() async throws {
        let centers = try centers(2)
        let started = Log<Int>()
        let gate = Gate(1)
        let token = centers[1].observe(
            Job.self, options: .inGroup("g").bounded(.dropNewest(above: 1))
        ) { job async in
            started.add(job.number)
            await onOwnThread { _ = gate.wait() }
        }
        await ready(centers)
        try centers[0].post(Job(number: 0))
        _ = await started.arrival(of: 1)
        for number in 1..<10 { try centers[0].post(Job(number: number)) }
        _ = await centers[0].ping(
            try #require(centers[0].peers.first?.peer), within: limit)
        gate.open()
        // One was called, one waits, and the others were lost to the bound.
        _ = await started.arrival(of: 2)
        #expect(started.entries == [0, 1])
        token.cancel()
    }

    @Test(.rule(46)) func `While connections break, no post is heard twice`() async throws {
        let centers = try centers(3)
        let log = Log<Int>()
        for center in centers { center.onProblem { _ in } }
        let tokens = centers.map { work($0, in: log) }
        await ready(centers)
        for round in 0..<20 {
            for number in 0..<50 { try centers[0].post(Job(number: round * 50 + number)) }
            network.disconnect("0", round % 2 == 0 ? "1" : "2")
            for number in 0..<50 { try centers[0].post(Job(number: 1_000 + round * 50 + number)) }
            await until { centers[0].peers.count { $0.interests != nil } == 2 }
        }
        await ready(centers)
        let heard = log.entries
        #expect(Set(heard).count == heard.count)
        #expect(heard.count > 1_000)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A queued post of a member that ends is heard by another process`()
        async throws
    {
        let centers = try centers(2)
        let thread = DeliveryThread(name: "worker")
        let (started, gate) = (Gate(2), Gate(1))
        let (own, other) = (Log<Int>(), Log<Int>())
        let token = centers[0].observe(Job.self, on: .thread(thread), options: .inGroup("g")) {
            job in
            own.add(job.number)
            if job.number == 0 {
                started.arriveAndWait()
                gate.wait()
            }
        }
        // Without members elsewhere, all posts wait here.
        try centers[0].post(Job(number: 0))
        await onOwnThread { started.arriveAndWait() }
        // The member elsewhere is busy as well, so each gets its share.
        let busy = Gate(1)
        let member = centers[1].observe(Job.self, options: .inGroup("g")) { job async in
            await onOwnThread { _ = busy.wait() }
            other.add(job.number)
        }
        await ready(centers)
        for number in 1...6 { try centers[0].post(Job(number: number)) }
        token.cancel()
        gate.open()
        busy.open()
        #expect(await other.arrival(of: 6).sorted() == [1, 2, 3, 4, 5, 6])
        #expect(own.entries == [0])
        member.cancel()
        thread.stop()
    }
}
