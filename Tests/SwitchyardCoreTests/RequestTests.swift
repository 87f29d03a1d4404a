// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Synchronization
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

@Suite("Requests and their answers", .timeLimit(.minutes(5))) struct RequestTests {
    private struct Square: RequestMessage {
        typealias Reply = Int
        typealias Subject = Item
        var number = 0
    }

    private struct Refused: Error {}

    private final class Squarer: Sendable {
        let log = Log<Int>()
        func square(_ request: Square) -> Int {
            log.add(request.number)
            return request.number * request.number
        }
        func squareLater(_ request: Square) async throws -> Int {
            if request.number < 0 { throw Refused() }
            return square(request)
        }
    }

    private actor Adder {
        private var sum = 0
        func add(_ number: Int) -> Int {
            sum += number
            return sum
        }
    }

    private let center = MessageCenter()
    private let limit = Duration.seconds(240)

    private func code(_ body: () throws -> some Any) -> RequestError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? RequestError)?.code
        }
    }

    @Test(.rule(44)) func `A request gets the first answer`() async throws {
        let token = center.answer(Square.self) { $0.number * $0.number }
        #expect(try await center.request(Square(number: 3), within: limit) == 9)
        token.cancel()
    }

    @Test(.rule(44)) func `A thread may wait for an answer, too`() throws {
        let token = center.answer(Square.self) { $0.number * $0.number }
        #expect(try center.request(Square(number: 3), within: limit) == 9)
        #expect(try center.request(Square(number: 3), .all, within: limit) == [9])
        token.cancel()
    }

    @Test(.rule(44)) func `Answers come in the order of registration, by priority`() async throws {
        let gate = Gate(2)
        let tokens = [
            center.answer(Square.self) { request async -> Int in
                // The one registered later answers earlier.
                await onOwnThread { gate.arriveAndWait() }
                return 1
            },
            center.answer(Square.self) { request async -> Int in
                await onOwnThread { gate.arriveAndWait() }
                return 2
            },
            center.answer(Square.self, options: .priority(1)) { _ in 3 },
        ]
        #expect(try await center.request(Square(), .all, within: limit) == [3, 1, 2])
        #expect(try await center.request(Square(), .reduce(100, -), within: limit) == 94)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `Nobody is an answer for those who want all, and an error for others`()
        throws
    {
        #expect(code { try center.request(Square(), within: limit) } == .noAnswer)
        #expect(try center.request(Square(), .all, within: limit).isEmpty)
        #expect(try center.request(Square(), .reduce(5, +), within: limit) == 5)
    }

    @Test(.rule(44)) func `A request that a bound refuses says so, and not that nobody answers`()
        async throws
    {
        let hand = DeliveryMailbox(target: HandDrained())
        let token = center.answer(
            Square.self, on: .mailbox(hand.shared), options: .bounded(.refuse(above: 1))
        ) { _ in 1 }
        async let first = center.request(Square(), within: limit)
        await until { hand.shared.depth == 1 }
        let error = await #expect(throws: RequestError.self) {
            try await center.request(Square(), within: limit)
        }
        #expect(error?.code == .notAsked)
        hand.drain()
        #expect(try await first == 1)
        token.cancel()
    }

    @Test func `A pace is no option of those who answer`() async {
        await #expect(processExitsWith: .failure) {
            let center = MessageCenter()
            _ = center.answer(
                Square.self, options: .paced(.throttle(.milliseconds(1)))
            ) { _ in 1 }
        }
    }

    @Test(.rule(44)) func `A condition picks the first answer that is wanted`() throws {
        let tokens = (1...4).map { number in center.answer(Square.self) { _ in number } }
        #expect(try center.request(Square(), .first { $0 > 2 }, within: limit) == 3)
        #expect(
            code { try center.request(Square(), .first { $0 > 9 }, within: limit) } == .noAnswer)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `Once there is an answer, nobody else is asked`() throws {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        let tokens = [
            center.answer(Square.self, on: .mailbox(mailbox)) { _ in
                log.add(1)
                return 1
            },
            center.answer(Square.self) { _ in 2 },
            center.answer(Square.self) { _ in
                log.add(3)
                return 3
            },
        ]
        #expect(try center.request(Square(), within: limit) == 2)
        mailbox.drain()
        #expect(log.entries.isEmpty)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44))
    func `When the time is up, the answers that came are counted, and late ones go nowhere`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.answer(Square.self) { _ in 1 },
            center.answer(Square.self, on: .mailbox(mailbox)) { _ in
                Issue.record("it was asked too late")
                return 2
            },
        ]
        let error = #expect(throws: RequestError.self) {
            try center.request(Square(), .all, within: .zero)
        }
        #expect(error?.code == .timedOut && error?.answers == 1)
        mailbox.drain()
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `A request that finds no room in time is timed out`() throws {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.answer(Square.self) { _ in 1 },
            center.answer(
                Square.self, on: .mailbox(mailbox), options: .bounded(.wait(above: 1))
            ) { _ in 2 },
        ]
        // The first of these takes the room, and waits there after its time.
        for _ in 0..<2 {
            #expect(code { try center.request(Square(), .all, within: .zero) } == .timedOut)
        }
        #expect(try center.request(Square(), .all.inTime, within: .zero) == [1])
        tokens[0].cancel()
        #expect(code { try center.request(Square(), within: .zero) } == .timedOut)
        #expect(try center.request(Square(), .all.inTime, within: .zero) == [])
        mailbox.drain()
        tokens[1].cancel()
    }

    @Test(.rule(44)) func `Who wants only what comes in time gets the answers that came`() throws {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.answer(Square.self) { _ in 1 },
            center.answer(Square.self, on: .mailbox(mailbox)) { _ in
                Issue.record("it was asked too late")
                return 2
            },
        ]
        #expect(try center.request(Square(), .all.inTime, within: .zero) == [1])
        #expect(try center.request(Square(), .reduce(5, +).inTime, within: .zero) == 6)
        tokens[0].cancel()
        #expect(try center.request(Square(), .all.inTime, within: .zero) == [])
        #expect(code { try center.request(Square(), .first.inTime, within: .zero) } == .timedOut)
        mailbox.drain()
        tokens[1].cancel()
    }

    @Test(.rule(31, 44)) func `An error goes to the one who asked, also if all is to come in time`()
    {
        let token = center.answer(Square.self) { _ in throw Refused() }
        #expect(code { try center.request(Square(), .all.inTime, within: limit) } == .answerFailed)
        token.cancel()
    }

    @Test(.rule(44)) func `An async method answers, and ends with its object`() async throws {
        var squarer: Squarer? = Squarer()
        center.answer(Square.self, with: try #require(squarer), Squarer.squareLater)
        #expect(try await center.request(Square(number: 3), within: limit) == 9)
        await #expect(throws: RequestError.self) {
            try await center.request(Square(number: -1), within: limit)
        }
        squarer = nil
        await until { code { try center.request(Square(), within: .zero) } == .noAnswer }
    }

    @Test(.rule(44)) func `An actor answers with its state, also from an async handler`()
        async throws
    {
        var adder: Adder? = Adder()
        let actor = try #require(adder)
        let token = center.answer(Square.self, on: actor) { $0.add($1.number) }
        #expect(try await center.request(Square(number: 2), within: limit) == 2)
        #expect(try await center.request(Square(number: 3), within: limit) == 5)
        token.cancel()
        center.answer(Square.self, on: actor) { actor, request in
            await Task.yield()
            return actor.add(request.number)
        }
        #expect(try await center.request(Square(number: 1), within: limit) == 6)
        adder = nil
    }

    @Test(.rule(31, 44)) func `An error goes to the one who asked, and to the problem hook`() throws
    {
        let problems = Log<String>()
        center.onProblem { problems.add("\($0.kind)") }
        let failing = center.answer(Square.self) { _ in throw Refused() }
        let error = #expect(throws: RequestError.self) {
            try center.request(Square(), within: limit)
        }
        #expect(error?.code == .answerFailed && error?.cause is Refused)
        let other = center.answer(Square.self) { _ in 2 }
        // One answer is enough, or all are needed.
        #expect(try center.request(Square(), within: limit) == 2)
        #expect(code { try center.request(Square(), .all, within: limit) } == .answerFailed)
        #expect(problems.entries == ["handlerThrew", "handlerThrew", "handlerThrew"])
        for token in [failing, other] { token.cancel() }
    }

    @Test(.rule(44)) func `Those are asked who answer about the subject, or about any`() throws {
        let (one, other) = (Item(), Item())
        let tokens = [
            center.answer(Square.self, of: one) { _ in 1 },
            center.answer(Square.self, of: other) { _ in 2 },
            center.answer(Square.self) { _ in 3 },
        ]
        #expect(try center.request(Square(), subject: one, .all, within: limit) == [1, 3])
        #expect(try center.request(Square(), .all, within: limit) == [3])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(44)) func `A method answers for as long as its object lives`() throws {
        var squarer: Squarer? = Squarer()
        if let squarer { center.answer(Square.self, with: squarer, Squarer.square) }
        #expect(try center.request(Square(number: 4), .all, within: limit) == [16])
        #expect(squarer?.log.entries == [4])
        squarer = nil
        #expect(try center.request(Square(number: 4), .all, within: limit).isEmpty)
    }

    @Test(.rule(41, 44)) func `A condition on the request decides who is asked`() throws {
        let even = ObservationOptions.where { (square: Square) in square.number.isMultiple(of: 2) }
        let token = center.answer(Square.self, options: even) { $0.number }
        #expect(try center.request(Square(number: 2), .all, within: limit) == [2])
        #expect(try center.request(Square(number: 3), .all, within: limit).isEmpty)
        token.cancel()
    }

    @Test(.rule(44))
    func `A one-shot registration answers once, and is not used up by a request that is over`()
        throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let once = center.answer(Square.self, on: .mailbox(mailbox), options: .once) { _ in 1 }
        let other = center.answer(Square.self) { _ in 2 }
        #expect(try center.request(Square(), within: limit) == 2)
        mailbox.drain()
        #expect(!once.isCancelled)
        for token in [once, other] { token.cancel() }
    }

    @Test(.rule(29, 44)) func `A context that ends before it has answered is named`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = center.answer(Square.self, on: .mailbox(mailbox)) { _ in 1 }
        mailbox.close()
        let error = #expect(throws: RequestError.self) {
            try center.request(Square(), within: limit)
        }
        #expect(error?.code == .targetEnded && error?.description.contains("hand") == true)
        token.cancel()
    }

    @Test(.rule(28, 44)) func `One who has no room to be asked is missing, which is said`() {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.answer(Square.self, on: .mailbox(mailbox), options: .bounded(.refuse(above: 1)))
            {
                _ in 1
            },
            center.answer(Square.self) { _ in 2 },
        ]
        #expect(code { try center.request(Square(), .all, within: .zero) } == .timedOut)
        #expect(code { try center.request(Square(), .all, within: .zero) } == .notAsked)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(28, 44)) func `Who wants what comes in time is told whom a bound kept it from`()
        throws
    {
        let (full, slow) = (
            DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
        )
        let bounded = center.answer(
            Square.self, on: .mailbox(full), options: .bounded(.refuse(above: 1))
        ) { _ in 1 }
        // The first is asked, and slow: it is forgiven.
        #expect(try center.request(Square(), .all.inTime, within: .zero) == [])
        #expect(code { try center.request(Square(), .all.inTime, within: .zero) } == .notAsked)
        // The same, whether another is slow, or waits for room.
        let tokens = [
            center.answer(Square.self) { _ in 2 },
            center.answer(
                Square.self, on: .mailbox(slow), options: .bounded(.wait(above: 1))
            ) { _ in 3 },
        ]
        for _ in 0..<2 {
            let error = #expect(throws: RequestError.self) {
                try center.request(Square(), .all.inTime, within: .zero)
            }
            #expect(error?.code == .notAsked && error?.answers == 1)
        }
        // Without the one whose bound refuses, those who are slow are forgiven.
        bounded.cancel()
        #expect(try center.request(Square(), .all.inTime, within: .zero) == [2])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(14, 44)) func `A registration that ends while a request waits is not waited for`()
        async
    {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let token = center.answer(Square.self, on: .mailbox(mailbox)) { _ in 1 }
        let request = Task { try await center.request(Square(), within: .seconds(240)) }
        while mailbox.depth == 0 { await Task.yield() }
        token.cancel()
        mailbox.drain()
        let error = await #expect(throws: RequestError.self) { try await request.value }
        #expect(error?.code == .noAnswer)
    }

    @Test(.rule(44)) func `Cancelling the task ends the wait`() async {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let token = center.answer(Square.self, on: .mailbox(mailbox)) { _ in 1 }
        let request = Task { try await center.request(Square(), within: .seconds(240)) }
        while mailbox.depth == 0 { await Task.yield() }
        request.cancel()
        let error = await #expect(throws: RequestError.self) { try await request.value }
        #expect(error?.code == .cancelled)
        token.cancel()
    }

    @Test(.rule(12, 44)) func `Two handlers that ask each other are named as a cycle`() async throws
    {
        struct Ask: RequestMessage {
            typealias Reply = Int
            let depth: Int
        }
        let (center, codes) = (center, Log<RequestError.Code>())
        let token = center.answer(Ask.self) { (ask: Ask) async -> Int in
            do throws(RequestError) {
                return try await center.request(Ask(depth: ask.depth + 1), within: .seconds(240))
            } catch {
                codes.add(error.code)
                return ask.depth
            }
        }
        #expect(try await center.request(Ask(depth: 0), within: limit) == 0)
        #expect(codes.entries == [.cycle])
        token.cancel()
    }

    @Test(.rule(44)) func `A handler may ask inside its answer`() throws {
        struct Sum: RequestMessage {
            typealias Reply = Int
            let upTo: Int
        }
        let center = center
        let token = center.answer(Sum.self) { sum in
            sum.upTo == 0
                ? 0 : try center.request(Sum(upTo: sum.upTo - 1), within: .seconds(240)) + sum.upTo
        }
        #expect(try center.request(Sum(upTo: 10), within: limit) == 55)
        token.cancel()
    }

    @Test(.rule(44)) func `Requests of many threads and tasks get their own answers`() async {
        let center = center
        let wrong = Counter()
        let tokens = [
            center.answer(Square.self) { $0.number * $0.number },
            center.answer(Square.self) { (square: Square) async in square.number * square.number },
            center.answer(Square.self, options: .concurrent) { (square: Square) async in
                await Task.yield()
                return square.number * square.number
            },
        ]
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let square = Square(number: number)
                        let first = try? await center.request(square, within: .seconds(240))
                        let all = try? await center.request(square, .all, within: .seconds(240))
                        if first != number * number { wrong.add() }
                        if all != Array(repeating: number * number, count: 3) { wrong.add() }
                    }
                }
            }
        }
        #expect(wrong.value == 0)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(28, 44)) func `A request that displaced another one has all its answers`()
        async throws
    {
        let hand = DeliveryMailbox(target: HandDrained())
        let center = center
        let token = center.answer(
            Square.self, on: .mailbox(hand), options: .bounded(.dropOldest(above: 1))
        ) {
            $0.number * $0.number
        }
        let displaced = Log<RequestError.Code?>()
        let first = Task {
            do {
                _ = try await center.request(Square(number: 2), .all, within: .seconds(240))
                displaced.add(nil)
            } catch {
                displaced.add((error as? RequestError)?.code)
            }
        }
        await until { hand.depth == 1 }
        let second = Task {
            try await center.request(Square(number: 3), .all, within: .seconds(240))
        }
        #expect(await displaced.arrival(of: 1) == [.notAsked])
        hand.drain()
        #expect(try await second.value == [9])
        _ = await first.result
        token.cancel()
    }

    @Test(.rule(12, 44))
    func `One that waits for the caller does not fail a request that ends in time`() async {
        let (center, result) = (center, Log<[Int]>())
        let (hand, other) = (
            DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
        )
        let tokens = [
            center.answer(Square.self, on: .mailbox(other)) { _ in 0 },
            center.answer(Square.self) { $0.number },
            center.observe(Ping.self, on: .mailbox(other)) { _ in
                try center.postAndWait(Tick(), timeout: .seconds(200))
            },
            center.observe(Tick.self, on: .mailbox(hand)) { _ in
                result.add(
                    try center.request(Square(number: 7), .all.inTime, within: .milliseconds(20)))
            },
        ]
        center.post(Ping())
        let waiting = Task { await onOwnThread { other.drain() } }
        await until { hand.depth == 1 }
        await onOwnThread { hand.drain() }
        #expect(result.entries == [[7]])
        await waiting.value
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12, 44)) func `An answerer may wait for one whose request ends in time`() async {
        let (center, limit) = (center, limit)
        let (errors, result) = (Log<PostWaitError.Code>(), Log<[Int]>())
        let (hand, other) = (
            DeliveryMailbox(target: HandDrained()), DeliveryMailbox(target: HandDrained())
        )
        let tokens = [
            center.answer(Square.self, on: .mailbox(other)) { square in
                do {
                    try center.postAndWait(Tick(), timeout: .milliseconds(1))
                } catch let error as PostWaitError {
                    errors.add(error.code)
                }
                return square.number
            },
            center.observe(Tick.self, on: .mailbox(hand)) { _ in },
            center.observe(Ping.self, on: .mailbox(hand)) { _ in
                result.add(try center.request(Square(number: 7), .all.inTime, within: limit))
            },
        ]
        center.post(Ping())
        let asking = Task { await onOwnThread { hand.drain() } }
        await until { other.depth == 1 }
        await onOwnThread { other.drain() }
        await asking.value
        #expect(errors.entries == [.timedOut])
        #expect(result.entries == [[7]])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(28, 44)) func `A request that has its answer is no loss of others`() throws {
        let hand = DeliveryMailbox(target: HandDrained())
        let lags = Log<Int>()
        let tokens = [
            center.answer(
                Square.self, on: .mailbox(hand),
                options: .bounded(.wait(above: 1).onLag { lags.add($0) })
            ) { $0.number },
            center.answer(Square.self) { $0.number },
        ]
        for number in 0..<3 {
            #expect(try center.request(Square(number: number), within: limit) == number)
        }
        #expect(hand.depth == 1)
        #expect(center.snapshot().entries.allSatisfy { $0.lost == 0 })
        for _ in 0..<3 { hand.drain() }
        #expect(lags.entries == [])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(28, 44)) func `A request that has its answer takes no room from others`() throws {
        let hand = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.answer(Square.self) { $0.number },
            center.answer(Square.self, on: .mailbox(hand), options: .bounded(.refuse(above: 1))) {
                $0.number
            },
        ]
        for number in 0..<3 {
            #expect(try center.request(Square(number: number), within: limit) == number)
        }
        #expect(hand.depth == 0)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(12, 44)) func `A request of another process ends with the thread of its answerer`()
        async
    {
        let over = Log<Int>()
        let token = center.answer(Square.self) { _ in
            endThisThread()
            return 0
        }
        onThreads(1) { [center] _ in
            _ = center.engine.ask(Square(), about: nil, .all, relay: { _, _ in true }) { end in
                over.add(end.notAsked)
            }
        }
        #expect(await over.arrival(of: 1) == [0])
        token.cancel()
    }
}
