// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

@Suite("Requests between processes", .timeLimit(.minutes(5)))
struct DistributedRequestTests {
    private struct Square: DistributedRequest {
        static let name = Notification.Name("org.example.Square")
        typealias Reply = Int
        var number = 0
    }

    /// The same request in a program that has another idea of it.
    private struct OtherSquare: DistributedRequest {
        static let name = Square.name
        typealias Reply = String
        var text = ""
    }

    /// A notification that fills a queue.
    private struct Filling: DistributedMessage {
        static let name = Notification.Name("org.example.Filling")
        var number = 0
        var text = String(repeating: "filling", count: 30)
    }

    private struct Unsendable: DistributedRequest {
        typealias Reply = Int
        var number = Double.nan
    }

    private struct Local: RequestMessage {
        typealias Reply = Int
    }

    private struct Refused: Error, CustomStringConvertible {
        let description = "refused by the test"
    }

    private let network = InMemoryNetwork()
    private let limit = Duration.seconds(60)

    private func centers(
        _ count: Int
    ) throws -> (asker: DistributedNotificationCenter, others: [DistributedNotificationCenter]) {
        let asker = try network.center(named: "asker")
        return (asker, try (0..<count).map { try network.center(named: "\($0)") })
    }

    private func ready(_ centers: [DistributedNotificationCenter]) async {
        for center in centers { await center.waitUntilReady(within: limit) }
    }

    private func error(
        _ body: () async throws -> some Any
    ) async -> RequestError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? RequestError
        }
    }

    @Test(.rule(44)) func `Another process answers`() async throws {
        let (asker, others) = try centers(1)
        let token = others[0].answer(Square.self, on: .poster) { $0.number * $0.number }
        await ready(others)
        #expect(try await asker.request(Square(number: 3), within: limit) == 9)
        #expect(try await asker.request(Square(number: 4), .all, within: limit) == [16])
        #expect(
            try await onOwnThread { try asker.request(Square(number: 5), within: limit) } == 25)
        token.cancel()
    }

    @Test(.rule(44))
    func `All answers come by priority, those of the own process first`() async throws {
        let (asker, others) = try centers(2)
        var tokens = [asker.answer(Square.self, on: .poster) { _ in 1 }]
        for (index, center) in others.enumerated() {
            tokens.append(center.answer(Square.self, on: .poster) { _ in 10 + index })
            tokens.append(
                center.answer(Square.self, on: .poster, options: .priority(1)) { _ in 20 })
        }
        await ready(others)
        let answers = try await asker.request(Square(), .all, within: limit)
        #expect(answers.prefix(3) == [20, 20, 1])
        #expect(answers.dropFirst(3).sorted() == [10, 11])
        #expect(try await asker.request(Square(), .reduce(0, +), within: limit) == 62)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `A request about a subject reaches those who answer for it`() async throws
    {
        let (asker, others) = try centers(1)
        let tokens = [
            others[0].answer(Square.self, of: "a", on: .poster) { _ in 1 },
            others[0].answer(Square.self, of: "b", on: .poster) { _ in 2 },
            others[0].answer(Square.self, on: .poster) { _ in 3 },
        ]
        await ready(others)
        #expect(try await asker.request(Square(), subject: "b", .all, within: limit) == [2, 3])
        #expect(try await asker.request(Square(), .all, within: limit) == [3])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `Without anybody who answers, there is no waiting`() async throws {
        let (asker, others) = try centers(1)
        let token = others[0].answer(Square.self, on: .poster) { _ in 1 }
        await ready(others)
        #expect(try await asker.request(Square(), within: limit) == 1)
        token.cancel()
        await ready(others)
        #expect(await error { try await asker.request(Square(), within: limit) }?.code == .noAnswer)
        #expect(try await asker.request(Square(), .all, within: limit) == [])
    }

    @Test(.rule(44)) func `An observer of any name is not waited for, and hears no request`()
        async throws
    {
        let (asker, others) = try centers(1)
        let heard = Log<String>()
        let token = others[0].addObserver(forName: nil, object: nil, queue: OperationQueue()) {
            heard.add($0.name.rawValue)
        }
        await ready(others)
        #expect(try await asker.request(Square(), .all, within: limit) == [])
        asker.post(name: Notification.Name("end"), object: nil)
        #expect(await heard.arrival(of: 1) == ["end"])
        others[0].removeObserver(token)
    }

    @Test(.rule(44)) func `An answer that fulfils the condition is waited for`() async throws {
        let (asker, others) = try centers(3)
        var tokens: [ObservationToken] = []
        for (index, center) in others.enumerated() {
            tokens.append(center.answer(Square.self, on: .poster) { _ in index })
        }
        await ready(others)
        #expect(try await asker.request(Square(), .first { $0 == 2 }, within: limit) == 2)
        let none = await error {
            try await asker.request(Square(), .first { $0 > 2 }, within: limit)
        }
        #expect(none?.code == .noAnswer)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `An error that another process throws comes with its process`()
        async throws
    {
        let (asker, others) = try centers(1)
        let reported = Log<String>()
        others[0].onProblem { reported.add($0.description) }
        let token = others[0].answer(Square.self, on: .poster) { _ in throw Refused() }
        await ready(others)
        for all in [true, false] {
            let error = await error {
                all
                    ? try await asker.request(Square(), .all, within: limit)
                    : [try await asker.request(Square(), within: limit)]
            }
            #expect(error?.code == .answerFailed)
            let cause = error?.cause as? DistributedAnswerError
            #expect(cause?.code == .threw)
            #expect(cause?.peer.processName == "0")
            #expect(error?.description.contains("refused by the test") == true)
        }
        #expect(reported.entries.count == 2)
        token.cancel()
    }

    @Test(.rule(44)) func `Programs that differ in a request's type are told so`() async throws {
        let (asker, others) = try centers(1)
        let reported = Log<String>()
        others[0].onProblem { reported.add($0.description) }
        let wrongRequest = others[0].answer(OtherSquare.self, on: .poster) { $0.text }
        await ready(others)
        let undecodable = await error { try await asker.request(Square(), within: limit) }
        #expect(undecodable?.code == .answerFailed)
        #expect(undecodable?.description.contains("could not be decoded") == true)
        #expect(reported.entries.count == 1)
        wrongRequest.cancel()
    }

    @Test(.rule(44)) func `An answer of another type is an error`() async throws {
        struct Word: DistributedRequest {
            static let name = Notification.Name("org.example.Answer")
            typealias Reply = String
        }
        struct Number: DistributedRequest {
            static let name = Notification.Name("org.example.Answer")
            typealias Reply = Int
        }
        let (asker, others) = try centers(1)
        let token = others[0].answer(Word.self, on: .poster) { _ in "word" }
        await ready(others)
        let error = await error { try await asker.request(Number(), within: limit) }
        #expect((error?.cause as? DistributedAnswerError)?.code == .notDecodable)
        token.cancel()
    }

    @Test(.rule(44)) func `The text of an error of another process is one line without controls`()
        async throws
    {
        struct Colourful: Error, CustomStringConvertible {
            var description: String { "\u{1B}[31mred\nnext" }
        }
        struct Painted: DistributedRequest {
            typealias Reply = Int
        }
        let (asker, others) = try centers(1)
        let token = others[0].answer(Painted.self, on: .poster) { _ in throw Colourful() }
        await ready(others)
        let error = await error { try await asker.request(Painted(), within: limit) }
        #expect(error?.code == .answerFailed)
        #expect(error?.description.contains("\\u001b[31mred\\nnext") == true)
        let cause = try #require(error?.cause)
        #expect(cause.localizedDescription == "\(cause)")
        token.cancel()
    }

    @Test(.rule(44)) func `A request that can't be encoded is not sent`() async throws {
        let (asker, others) = try centers(1)
        let token = others[0].answer(Unsendable.self, on: .poster) { _ in 1 }
        await ready(others)
        let error = await error { try await asker.request(Unsendable(), .all, within: limit) }
        #expect(error?.code == .notSent)
        #expect((error?.cause as? DistributedPostError)?.code == .notEncodable)
        token.cancel()
    }

    @Test(.rule(44)) func `Other requests stay in their process`() async throws {
        let (asker, others) = try centers(1)
        let token = others[0].answer(Local.self, on: .poster) { _ in 1 }
        await ready(others)
        #expect(try await asker.request(Local(), .all, within: limit) == [])
        #expect(try await others[0].request(Local(), .all, within: limit) == [1])
        token.cancel()
    }

    @Test(.rule(44)) func `Nobody is asked any more once the time is up`() async throws {
        let (asker, others) = try centers(1)
        let thread = DeliveryThread(name: "busy")
        let (started, asked) = (Gate(2), Log<Int>())
        let gate = Gate(2)
        let (marker, marked) = (Notification.Name("marker"), Log<Int>())
        let tokens = [
            others[0].observe(marker, on: .poster) { _ in marked.add(0) },
            others[0].answer(Square.self, on: .thread(thread)) { request in
                asked.add(request.number)
                if request.number == 1 {
                    started.arriveAndWait()
                    gate.arriveAndWait()
                }
                return request.number
            },
        ]
        await ready(others)
        async let first = asker.request(Square(number: 1), within: limit)
        await onOwnThread { started.arriveAndWait() }
        // It waits in the mailbox of the busy thread.
        let late = await error {
            try await asker.request(Square(number: 2), within: .milliseconds(1))
        }
        #expect(late?.code == .timedOut)
        // Comes behind the news that it is over.
        asker.post(name: marker, object: nil)
        _ = await marked.arrival(of: 1)
        await onOwnThread { gate.arriveAndWait() }
        #expect(try await first == 1)
        #expect(try await asker.request(Square(number: 3), within: limit) == 3)
        #expect(asked.entries == [1, 3])
        for token in tokens { token.cancel() }
        thread.stop()
    }

    @Test(.rule(44)) func `A process that ends is waited for no more`() async throws {
        let asker = try network.center(named: "asker")
        var other: DistributedNotificationCenter? = try network.center(named: "other")
        let (started, gate) = (Log<Int>(), Gate(1))
        let token = other?.answer(Square.self) { request async in
            started.add(request.number)
            await onOwnThread { _ = gate.wait() }
            return request.number
        }
        await other?.waitUntilReady(within: limit)
        async let first = error { try await asker.request(Square(number: 1), within: limit) }
        async let all = error { try await asker.request(Square(number: 2), .all, within: limit) }
        _ = await started.arrival(of: 1)
        await until { asker.peers.first?.sent == 2 }
        other = nil
        #expect(await first?.code == .targetEnded)
        #expect(await all?.code == .targetEnded)
        #expect(await all?.description.contains("other") == true)
        gate.open()
        token?.cancel()
    }

    /// Answers, and lets go of the center: the answer and the farewell go out one behind the other.
    private func answerAndLeave(
        _ center: consuming DistributedNotificationCenter
    ) async throws -> [ObservationToken] {
        let box = Guarded<DistributedNotificationCenter?>(center)
        let tokens = [
            center.answer(Square.self, on: .poster) { $0.number },
            center.answer(Square.self, on: .poster) { _ in
                _ = box.exchange(nil)
                return -1
            },
        ]
        await center.waitUntilReady(within: limit)
        return tokens
    }

    @Test(.rule(44)) func `Answers that a process gives before it leaves are taken`() async throws {
        let asker = try network.center(named: "asker")
        for round in 0..<100 {
            let tokens = try await answerAndLeave(try network.center(named: "other"))
            let answer = try await asker.request(
                Square(number: round), .first { $0 == round }, within: limit)
            #expect(answer == round)
            for token in tokens { token.cancel() }
        }
    }

    @Test(
        .rule(44), arguments: [DistributedLimits.Overflow.dropNewest, .dropOldest, .keepLatest])
    func `A request to a process that does not read is not given up for notifications`(
        overflow: DistributedLimits.Overflow
    ) async throws {
        let asker = try network.center(
            named: "asker", limits: DistributedLimits(queueBytes: 20_000, overflow: overflow))
        let other = try network.center(named: "0")
        let heard = Log<Int>()
        let tokens = [
            other.answer(Square.self, on: .poster) { $0.number * $0.number },
            other.observe(Filling.self, on: .poster) { heard.add($0.number) },
        ]
        for center in [asker, other] { center.onLoss { _ in } }
        asker.onProblem { _ in }
        await ready([other])
        network.hold(from: "asker", to: "0")
        let posts = 0..<4_000
        for number in posts.prefix(3_000) { try asker.post(Filling(number: number)) }
        let asked = Gate()
        async let answer = onOwnThread {
            asked.open()
            return try asker.request(Square(number: 3), within: .seconds(240))
        }
        await until { asked.isOpen }
        for number in posts.dropFirst(3_000) { try asker.post(Filling(number: number)) }
        network.release(from: "asker", to: "0")
        #expect(try await answer == 9)
        await asker.waitUntilFlushed(within: .seconds(120))
        try asker.post(Filling(number: -1))
        await until { heard.entries.last == -1 }
        #expect(heard.entries.count < posts.count)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(36, 44), arguments: [DistributedLimits.Overflow.dropOldest, .keepLatest])
    func `A post that found no room beside a request does not keep later ones out`(
        overflow: DistributedLimits.Overflow
    ) async throws {
        let asker = try network.center(
            named: "asker", limits: DistributedLimits(queueBytes: 20_000, overflow: overflow))
        let other = try network.center(named: "0")
        let heard = Log<Int>()
        let tokens = [
            other.answer(Square.self, on: .poster) { $0.number * $0.number },
            other.observe(Filling.self, on: .poster) { heard.add($0.number) },
        ]
        for center in [asker, other] { center.onLoss { _ in } }
        asker.onProblem { _ in }
        await ready([other])
        network.hold(from: "asker", to: "0")
        // As much as the sockets and the writer take.
        for number in 0..<4_000 { try asker.post(Filling(number: number)) }
        let asked = Gate()
        async let answer = onOwnThread {
            asked.open()
            return try asker.request(Square(number: 3), within: .seconds(240))
        }
        await until { asked.isOpen }
        let large = String(repeating: "x", count: 19_950)
        try asker.post(Filling(number: -2, text: large))
        for number in 4_000..<6_000 { try asker.post(Filling(number: number)) }
        network.release(from: "asker", to: "0")
        #expect(try await answer == 9)
        await asker.waitUntilFlushed(within: .seconds(120))
        // The newest are there, and not the oldest.
        await until { heard.entries.last == 5_999 }
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `A suspended center answers`() async throws {
        let (asker, others) = try centers(1)
        let token = others[0].answer(Square.self, on: .poster) { $0.number }
        others[0].suspended = true
        await ready(others)
        #expect(try await asker.request(Square(number: 7), within: limit) == 7)
        token.cancel()
    }

    @Test(.rule(44)) func `Answers on actors, on main and in tasks come from other processes`()
        async throws
    {
        actor Doubler {
            var sum = 0
            func add(_ number: Int) -> Int {
                sum += number
                return sum
            }
        }
        let (asker, others) = try centers(1)
        let doubler = Doubler()
        let tokens = [
            others[0].answer(Square.self, of: "main", on: .main) { $0.number },
            others[0].answer(Square.self, of: "task") { request async in request.number + 1 },
        ]
        others[0].answer(Square.self, of: "actor", on: doubler) { $0.add($1.number) }
        await ready(others)
        #expect(try await asker.request(Square(number: 1), subject: "main", within: limit) == 1)
        #expect(try await asker.request(Square(number: 1), subject: "task", within: limit) == 2)
        #expect(try await asker.request(Square(number: 3), subject: "actor", within: limit) == 3)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `Many requests of several processes at once get their own answers`()
        async throws
    {
        let centers = try (0..<3).map { try network.center(named: "\($0)") }
        let tokens = centers.map { center in
            center.answer(Square.self) { request async in request.number * request.number }
        }
        await ready(centers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for center in centers {
                for number in 0..<100 {
                    group.addTask {
                        let answers = try await center.request(
                            Square(number: number), .all, within: limit)
                        #expect(answers == Array(repeating: number * number, count: 3))
                        let one = try await center.request(Square(number: number), within: limit)
                        #expect(one == number * number)
                    }
                }
            }
            try await group.waitForAll()
        }
        for token in tokens { token.cancel() }
    }
}
