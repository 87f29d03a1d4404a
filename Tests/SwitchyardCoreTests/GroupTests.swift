// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import Synchronization
import TestSupport
import Testing

@Suite("Groups, of which one hears each post", .timeLimit(.minutes(5))) struct GroupTests {
    private let center = MessageCenter()

    private func worker(
        _ name: String, _ log: Log<String>, on mailbox: DeliveryMailbox? = nil,
        of subject: Item? = nil, options: ObservationOptions = .inGroup("workers")
    ) -> ObservationToken {
        center.observe(
            Ping.self, of: subject, on: mailbox.map { .mailbox($0) } ?? .poster, options: options
        ) { log.add("\(name) \($0.number)") }
    }

    @Test(.rule(46)) func `One of a group hears each post, in turn, and others hear them all`() {
        let log = Log<String>()
        let tokens = [
            worker("a", log), worker("b", log), worker("other", log, options: .standard),
        ]
        for number in 0..<4 {
            #expect(center.postAndReport(Ping(number: number)).delivered == 2)
        }
        #expect(log.entries.filter { $0.hasPrefix("other") }.count == 4)
        #expect(log.entries.filter { !$0.hasPrefix("other") } == ["a 0", "b 1", "a 2", "b 3"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `Groups of different names hear each for itself`() {
        let log = Log<String>()
        let tokens = [
            worker("a", log), worker("b", log), worker("c", log, options: .inGroup("others")),
        ]
        for number in 0..<2 { center.post(Ping(number: number)) }
        #expect(log.entries.sorted() == ["a 0", "b 1", "c 0", "c 1"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `Idle members come first`() {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let log = Log<String>()
        let tokens = [worker("a", log, on: mailboxes[0]), worker("b", log, on: mailboxes[1])]
        for number in 0..<4 { center.post(Ping(number: number)) }
        // The one has done its work, and gets the next two.
        mailboxes[1].drain()
        for number in 4..<6 { center.post(Ping(number: number)) }
        for mailbox in mailboxes { mailbox.drain() }
        #expect(log.entries == ["b 1", "b 3", "a 0", "a 2", "b 4", "b 5"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A member is asked only for posts that it matches`() {
        let (one, other, log) = (Item(), Item(), Log<String>())
        let even = ObservationOptions.inGroup("workers")
            .where { (ping: Ping) in ping.number.isMultiple(of: 2) }
        let tokens = [
            worker("one", log, of: one), worker("other", log, of: other),
            worker("even", log, of: other, options: even),
        ]
        for number in [1, 3] { center.post(Ping(number: number), subject: one) }
        for number in [5, 7] { center.post(Ping(number: number), subject: other) }
        #expect(log.entries == ["one 1", "one 3", "other 5", "other 7"])
        #expect(center.postAndReport(Ping()).reachedNobody)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(14, 46)) func `If a member ends before its turn, another hears the post`() async {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let log = Log<String>()
        let tokens = [worker("a", log, on: mailboxes[0]), worker("b", log, on: mailboxes[1])]
        for number in 0..<4 { center.post(Ping(number: number)) }
        tokens[0].cancel()
        mailboxes[0].drain()
        await until { mailboxes[1].depth == 4 }
        mailboxes[1].drain()
        #expect(log.entries.prefix(2) == ["b 1", "b 3"])
        #expect(log.entries.sorted() == ["b 0", "b 1", "b 2", "b 3"])
        tokens[1].cancel()
    }

    @Test(.rule(29, 46)) func `If a member's context ends, another hears the post`() async {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let (log, problems) = (Log<String>(), Log<Int>())
        center.onProblem { problems.add($0.count) }
        let tokens = [worker("a", log, on: mailboxes[0]), worker("b", log, on: mailboxes[1])]
        for number in 0..<2 { center.post(Ping(number: number)) }
        mailboxes[0].close()
        await until { mailboxes[1].depth == 2 }
        mailboxes[1].drain()
        #expect(log.entries == ["b 1", "b 0"] && problems.entries.isEmpty)
        #expect(center.postAndReport(Ping(number: 2)).queued == 1)
        // With the last member's context, its deliveries end, and are reported.
        mailboxes[1].close()
        #expect(await problems.arrival(of: 1) == [1])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(42, 46)) func `A paused member that ends leaves what it keeps to another`() async {
        let log = Log<String>()
        let tokens = [worker("a", log), worker("b", log)]
        for token in tokens { token.pause() }
        for number in 0..<2 { #expect(center.postAndReport(Ping(number: number)).queued == 1) }
        tokens[1].resume()
        tokens[0].cancel()
        #expect(await log.arrival(of: 2).sorted() == ["b 0", "b 1"])
        tokens[1].cancel()
    }

    @Test(.rule(46)) func `A member whose handler has ended its thread is chosen again`() {
        let log = Log<String>()
        let tokens = ["a", "b"].map { name in
            center.observe(Ping.self, options: .inGroup("workers")) { ping in
                log.add("\(name) \(ping.number)")
                if ping.number == 0 { endThisThread() }
            }
        }
        onThreads(1) { [center] _ in center.post(Ping(number: 0)) }
        for number in 1...4 { center.post(Ping(number: number)) }
        #expect(log.entries == ["a 0", "b 1", "a 2", "b 3", "a 4"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A nested post leaves the load of a member right`() {
        let log = Log<String>()
        let center = center
        let tokens = ["a", "b"].map { name in
            center.observe(Ping.self, options: .inGroup("workers")) { ping in
                log.add("\(name) \(ping.number)")
                // Both posts of the nest come to the same member: the other one is paused.
                if ping.number == 0 { center.post(Ping(number: 1)) }
                if ping.number == 0 { endThisThread() }
            }
        }
        tokens[1].pause()
        onThreads(1) { [center] _ in center.post(Ping(number: 0)) }
        tokens[1].resume()
        for number in 2...5 { center.post(Ping(number: number)) }
        #expect(log.entries == ["a 0", "a 1", "b 2", "a 3", "b 4", "a 5"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(28, 46)) func `What a bound has dropped does not move to another member`() async {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let log = Log<String>()
        let first = worker(
            "a", log, on: mailboxes[0], options: .inGroup("workers").bounded(.dropOldest(above: 1)))
        first.pause()
        for number in 0..<3 { center.post(Ping(number: number)) }
        mailboxes[0].drain()
        let second = worker("b", log, on: mailboxes[1])
        first.cancel()
        mailboxes[0].drain()
        await until { mailboxes[1].depth > 0 }
        center.post(Ping(number: 3))
        mailboxes[1].drain()
        #expect(log.entries == ["b 2", "b 3"])
        second.cancel()
    }

    @Test(.rule(8, 46)) func `Deliveries that move to another member keep their order`() async {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let (log, count) = (Log<String>(), 1_000)
        let first = worker("a", log, on: mailboxes[0])
        for number in 0..<count { center.post(Ping(number: number)) }
        let second = worker("b", log, on: mailboxes[1])
        first.cancel()
        mailboxes[0].drain()
        await until { mailboxes[1].depth == count }
        mailboxes[1].drain()
        #expect(log.entries == (0..<count).map { "b \($0)" })
        second.cancel()
    }

    @Test(.rule(2, 46)) func `A member that is registered during a post does not hear it`() {
        let (center, log, box) = (center, Log<String>(), Log<ObservationToken>())
        box.add(
            center.observe(Ping.self, options: .priority(1)) { _ in
                guard box.entries.count == 1 else { return }
                box.add(
                    center.observe(Ping.self, options: .inGroup("workers")) { _ in log.add("new") })
            })
        #expect(center.postAndReport(Ping()).delivered == 1)
        #expect(center.postAndReport(Ping()).delivered == 2)
        #expect(log.entries == ["new"])
        for token in box.entries { token.cancel() }
    }

    @Test(.rule(46)) func `A group and a pace exclude each other`() async {
        await #expect(processExitsWith: .failure) {
            _ = ObservationOptions.inGroup("workers").paced(.debounce(.seconds(1)))
        }
    }

    @Test(.rule(14, 46)) func `An observer that has died is passed over`() {
        final class Worker: Sendable {
            let log: Log<Int>
            init(_ log: Log<Int>) { self.log = log }
            func work(_ ping: Ping) { log.add(ping.number) }
        }
        let (log, other) = (Log<Int>(), Log<String>())
        var dying: Worker? = Worker(log)
        if let dying {
            center.observe(Ping.self, with: dying, Worker.work, options: .inGroup("workers"))
        }
        let token = worker("b", other)
        dying = nil
        for number in 0..<4 { #expect(center.postAndReport(Ping(number: number)).delivered == 1) }
        #expect(log.entries.isEmpty && other.entries.count == 4)
        token.cancel()
    }

    /// A member whose object dies before its turn, for a post that waits.
    private func waitThroughDeath(
        then others: (Log<String>) -> [ObservationToken], drain: @escaping @Sendable () -> Void
    ) async throws -> PostReceipt {
        final class Worker: Sendable { func work(_ ping: Ping) {} }
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<String>())
        let dying = Guarded<Worker?>(Worker())
        if let worker = dying.withLock({ $0 }) {
            center.observe(
                Ping.self, with: worker, Worker.work, on: .mailbox(mailbox),
                options: .inGroup("workers"))
        }
        let tokens = others(log)
        defer { for token in tokens { token.cancel() } }
        async let receipt = onOwnThread { [center] in
            try center.postAndWait(Ping(), timeout: .seconds(240))
        }
        await until { mailbox.depth == 1 }
        _ = dying.exchange(nil)
        mailbox.drain()
        drain()
        return try await receipt
    }

    @Test(.rule(12, 46))
    func `A wait counts a delivery where it is made at last, not where its observer has died`()
        async throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let receipt = try await waitThroughDeath { log in
            [worker("b", log, on: mailbox)]
        } drain: {
            Task {
                await until { mailbox.depth == 1 }
                mailbox.drain()
            }
        }
        #expect(receipt.delivered == 1 && receipt.expired == 0 && receipt.queued == 0)
    }

    @Test(.rule(12, 46)) func `A wait fails if nobody is left where its observer has died`() async {
        await #expect(throws: PostWaitError.self) {
            _ = try await waitThroughDeath { _ in
                []
            } drain: {
            }
        }
    }

    @Test(.rule(42, 46)) func `A paused member is chosen last`() {
        let log = Log<String>()
        let tokens = [worker("a", log), worker("b", log)]
        tokens[0].pause()
        for number in 0..<3 { center.post(Ping(number: number)) }
        #expect(log.entries == ["b 0", "b 1", "b 2"])
        tokens[1].pause()
        #expect(center.postAndReport(Ping(number: 3)).queued == 1)
        for token in tokens { token.resume() }
        #expect(log.entries.count == 4)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(16, 41, 46)) func `A condition may end its own observation, and wait for that`() {
        let (box, log) = (Log<ObservationToken>(), Log<String>())
        let options = ObservationOptions.inGroup("workers").where { (_: Ping) in
            box.entries.first?.cancelAndWait()
            return true
        }
        box.add(worker("a", log, options: options))
        let token = worker("b", log)
        #expect(center.postAndReport(Ping(number: 1)).delivered == 1)
        #expect(log.entries == ["b 1"])
        token.cancel()
    }

    @Test(.rule(28, 46)) func `A post that a full member refuses is refused, and moves nowhere`()
        async
    {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let log = Log<String>()
        let options = ObservationOptions.inGroup("workers").bounded(.refuse(above: 1))
        let tokens = ["a", "b"].enumerated().map { index, name in
            worker(name, log, on: mailboxes[index], options: options)
        }
        for number in 0..<2 { #expect(center.postAndReport(Ping(number: number)).queued == 1) }
        let receipt = center.postAndReport(Ping(number: 2))
        #expect(receipt.refused == 1 && receipt.queued == 0)
        // The work of a member that ends moves on beyond the bound of another: its post is over.
        tokens[0].cancel()
        mailboxes[0].drain()
        await until { mailboxes[1].depth == 2 }
        mailboxes[1].drain()
        #expect(log.entries == ["b 1", "b 0"])
        tokens[1].cancel()
    }

    @Test(.rule(12, 46)) func `A post that waits waits for the member that hears it`() async throws
    {
        let (center, log) = (center, Log<Int>())
        let tokens = (0..<2).map { _ in
            center.observe(Ping.self, options: .inGroup("workers")) { ping async in
                await Task.yield()
                log.add(ping.number)
            }
        }
        for number in 0..<10 {
            #expect(try await center.postAndWait(Ping(number: number)).delivered == 1)
            #expect(log.entries.last == number)
        }
        for token in tokens { token.cancel() }
    }

    @Test(.rule(46)) func `A group without members is as if nobody observed`() {
        let log = Log<String>()
        worker("a", log).cancel()
        #expect(center.postAndReport(Ping()).reachedNobody)
        let token = worker("b", log)
        center.post(Ping(number: 1))
        #expect(log.entries == ["b 1"])
        token.cancel()
    }

    @Test(.rule(46)) func `Under load, with members that come and go, each post is heard once`()
        async
    {
        let (center, total) = (center, 20_000)
        let heard = (0..<total).map { _ in Counter() }
        let (isDone, all) = (Flag(), Counter())
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let options = ObservationOptions.inGroup("workers")
        let steady = center.observe(Ping.self, on: .mailbox(mailboxes[1]), options: options) {
            heard[$0.number].add()
            all.add()
        }
        await onOwnThread {
            onThreads(4) { index in
                switch index {
                case 0:
                    for number in 0..<total {
                        if number.isMultiple(of: 100) {
                            _ = try? center.postAndWait(
                                Ping(number: number), timeout: .seconds(60))
                        } else {
                            center.post(Ping(number: number))
                        }
                    }
                    isDone.set()
                case 1:
                    while !isDone.isSet {
                        let token = center.observe(
                            Ping.self, on: .mailbox(mailboxes[0]), options: options
                        ) {
                            heard[$0.number].add()
                            all.add()
                        }
                        for _ in 0..<20 { _ = mailboxes[0].depth }
                        token.cancel()
                    }
                default:
                    while !isDone.isSet { mailboxes[index - 2].drain() }
                }
            }
        }
        await until {
            for mailbox in mailboxes { mailbox.drain() }
            return all.value >= total
        }
        #expect(heard.allSatisfy { $0.value == 1 })
        steady.cancel()
    }

    @Test(.rule(5, 46)) func `A moved delivery does not reach an observer of another object`() async
    {
        struct Left: NotificationMessage { typealias Subject = Item }
        let hand = DeliveryMailbox(target: HandDrained())
        let (problems, heard) = (Log<Int>(), Log<String>())
        center.onProblem { problems.add($0.count) }
        let first = center.observe(
            Left.self, on: .mailbox(hand), options: .inGroup("workers")
        ) { _ in }
        // The memory of the object is not used again while its delivery may move on.
        do { center.post(Left(), subject: Item()) }
        let others = (0..<100).map { _ in Item() }
        let tokens = others.map { item in
            center.observe(Left.self, of: item, options: .inGroup("workers")) { _ in
                heard.add("another object")
            }
        }
        first.cancel()
        hand.drain()
        #expect(await problems.arrival(of: 1) == [1])
        #expect(heard.entries.isEmpty)
        for token in tokens { token.cancel() }
        withExtendedLifetime(others) {}
    }

    @Test(.rule(12, 46))
    func `A thread that waits for itself, once a delivery has moved, is told of the cycle`() async {
        struct Job: NotificationMessage {}
        let (center, codes) = (center, Log<PostWaitError.Code?>())
        let (idle, busy) = (
            DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
        )
        let first = center.observe(
            Job.self, on: .mailbox(idle), options: .inGroup("workers")
        ) { _ in }
        let others = [
            center.observe(Job.self, on: .mailbox(busy), options: .inGroup("workers")) { _ in },
            center.observe(Ping.self, on: .mailbox(busy)) { _ in
                do {
                    try center.postAndWait(Job(), timeout: .seconds(200))
                } catch {
                    codes.add((error as? PostWaitError)?.code)
                }
            },
        ]
        center.post(Ping())
        Task { await onOwnThread { busy.drain() } }
        await until { idle.depth == 1 }
        first.cancel()
        idle.drain()
        #expect(await codes.arrival(of: 1) == [.cycle])
        for token in others { token.cancel() }
    }

    @Test(.rule(12, 46))
    func `A task that waits for itself, once a delivery has moved, is told of the cycle`() async {
        struct Job: NotificationMessage {}
        let (center, codes, isWaiting) = (center, Log<PostWaitError.Code?>(), Flag())
        let idle = DeliveryMailbox(target: HandDrained())
        let first = center.observe(
            Job.self, on: .mailbox(idle), options: .inGroup("workers")
        ) { _ in }
        let second = center.observe(Job.self, options: .inGroup("workers")) { (_: Job) async in
            if isWaiting.isSet { return }
            isWaiting.set()
            do {
                _ = try await center.postAndWait(Job())
            } catch {
                codes.add((error as? PostWaitError)?.code)
            }
        }
        // The first goes to the one, the second to the other, whose handler posts a third to the
        // first again.
        for _ in 0..<2 { center.post(Job()) }
        await until { idle.depth == 2 }
        first.cancel()
        idle.drain()
        #expect(await codes.arrival(of: 1) == [.cycle])
        second.cancel()
    }

    @Test(.rule(28, 29, 46))
    func `Posts that wait for room at a member that ends are delivered, and not reported`() async {
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let (log, problems) = (Log<String>(), Log<String>())
        center.onProblem { problems.add("\($0)") }
        let (center, asked) = (center, Counter())
        let options = ObservationOptions.inGroup("workers").bounded(.wait(above: 1))
            .where { (_: Ping) in
                asked.add()
                return true
            }
        let first = worker("a", log, on: mailboxes[0], options: options)
        let posts = (0..<3).map { number in
            Task { try await center.postWhenRoom(Ping(number: number)).queued }
        }
        await until { asked.value == 3 }
        let second = worker("b", log, on: mailboxes[1], options: options)
        mailboxes[0].close()
        for post in posts { #expect((try? await post.value) == 1) }
        await until {
            mailboxes[1].drain()
            return log.entries.count == 3
        }
        #expect(problems.entries == [])
        for token in [first, second] { token.cancel() }
    }

    @Test(.rule(32, 46)) func `A member whose context ends while it is chosen is no dead letter`()
        async
    {
        let hand = DeliveryMailbox(target: HandDrained())
        let (log, problems, letters) = (Log<String>(), Log<String>(), Counter())
        center.onProblem { problems.add("\($0)") }
        center.onDeadLetter { _ in letters.add() }
        let options = ObservationOptions.inGroup("workers").where { (_: Ping) in
            hand.close()
            return true
        }
        let first = worker("a", log, on: hand, options: options)
        let second = worker("b", log)
        #expect(center.postAndReport(Ping(number: 1)).queued == 1)
        #expect(await log.arrival(of: 1) == ["b 1"])
        #expect(problems.entries == [] && letters.value == 0)
        for token in [first, second] { token.cancel() }
    }

    @Test(.rule(12, 29, 46))
    func `A group whose members' contexts have all ended counts posts as undeliverable`() async {
        let (log, problems) = (Log<String>(), Log<DeliveryProblem.Kind>())
        center.onProblem { problems.add($0.kind) }
        let mailboxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        let tokens = mailboxes.map { worker("w", log, on: $0) }
        for mailbox in mailboxes { mailbox.close() }
        let receipt = center.postAndReport(Ping())
        #expect(receipt.undeliverable == 1)
        #expect(problems.entries == [.undeliverable])
        let error = await #expect(throws: PostWaitError.self) {
            try await center.postAndWait(Ping())
        }
        #expect(error?.code == .targetEnded && error?.receipt.undeliverable == 1)
        let retaining = await #expect(throws: PostWaitError.self) {
            try await center.postAndWait(Ping(), retaining: .latest)
        }
        #expect(retaining?.receipt.undeliverable == 1)
        let late = worker("late", log)
        #expect(center.postAndReport(Ping(number: 1)).delivered == 1)
        #expect(log.entries == ["late 1"])
        for token in tokens + [late] { token.cancel() }
    }

    @Test(.rule(29, 46))
    func `A delivery is reported when its last member ends after the wait for it has`() async {
        let (log, problems) = (Log<String>(), Log<DeliveryProblem.Kind>())
        center.onProblem { problems.add($0.kind) }
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = worker("w", log, on: mailbox)
        await #expect(throws: PostWaitError.self) {
            try await center.postAndWait(Ping(), timeout: .zero)
        }
        token.cancel()
        mailbox.drain()
        #expect(await problems.arrival(of: 1) == [.undeliverable])
        #expect(log.entries.isEmpty)
    }

    @Test(.rule(29, 46))
    func `Many deliveries that no member is left for are one problem, and not one each`() async {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.count) }
        let log = Log<String>()
        let (mailbox, ended) = (
            DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
        )
        let token = worker("w", log, on: mailbox)
        for number in 0..<2_000 { center.post(Ping(number: number)) }
        let other = worker("ended", log, on: ended)
        ended.close()
        token.cancel()
        mailbox.drain()
        await until { problems.entries.reduce(0, +) == 2_000 }
        #expect(problems.entries.count < 2_000)
        #expect(log.entries.isEmpty)
        other.cancel()
    }

    @Test(.rule(29, 46))
    func `Deliveries that no member is left for are reported to the hook of a center that goes`()
        async
    {
        let problems = Log<Int>()
        func postAndGo() {
            let center = MessageCenter()
            center.onProblem { problems.add($0.count) }
            let mailbox = DeliveryMailbox(target: HandDrained())
            let token = center.observe(
                Ping.self, on: .mailbox(mailbox.shared), options: .inGroup("g")
            ) { _ in }
            for number in 0..<5_000 { center.post(Ping(number: number)) }
            token.cancel()
            mailbox.drain()
        }
        postAndGo()
        await until { problems.entries.reduce(0, +) == 5_000 }
    }
}
