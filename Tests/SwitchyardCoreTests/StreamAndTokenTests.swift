// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import TestSupport
import Testing

/// The end of a stream with the losses that it reports, and the description of a token.
@Suite("Ends of streams, and descriptions of tokens", .timeLimit(.minutes(4)))
struct StreamAndTokenTests {
    let center = MessageCenter()

    @Test(.rule(30)) func `next returns nil on a cancelled task, also behind a loss`() async {
        let stream = center.stream(Ping.self, buffering: .dropOldest(above: 1))
        for number in 0..<5 { center.post(Ping(number: number)) }
        let task = Task {
            var iterator = stream.makeAsyncIterator()
            let first = await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            return (first, await iterator.next())
        }
        let (first, second) = await task.value
        guard case .lagged(4) = first else {
            Issue.record("\(String(describing: first)) came first")
            return
        }
        #expect(second == nil)
    }

    @Test(.rule(28, 30))
    func `A stream of the oldest tells what it lost when nothing else is left`() async {
        let stream = center.stream(Ping.self, buffering: .dropNewest(above: 2))
        for number in 0..<5 { center.post(Ping(number: number)) }
        var iterator = stream.makeAsyncIterator()
        var events: [String] = []
        while events.count < 3, let event = await iterator.next() { events.append("\(event)") }
        #expect(events.count == 3)
        #expect(events.last == "lagged(3)")
        center.post(Ping(number: 5))
        guard case .message(let ping) = await iterator.next() else {
            Issue.record("the loss was told twice")
            return
        }
        #expect(ping.number == 5)
    }

    @Test(.rule(28)) func `A message behind a loss stays in the stream until somebody takes it`()
        async
    {
        let stream = center.stream(Ping.self, buffering: .dropOldest(above: 1))
        for number in 0..<5 { center.post(Ping(number: number)) }
        // The loop ends at the loss.
        for await event in stream {
            if case .lagged = event { break }
        }
        var next = stream.makeAsyncIterator()
        guard case .message(let ping) = await next.next() else {
            Issue.record("the message went with the loop that was told of the loss")
            return
        }
        #expect(ping.number == 4)
    }

    @Test(.rule(30)) func `A stream ends when its center has gone, after the messages that wait`()
        async
    {
        var center: MessageCenter? = MessageCenter()
        let streams = center.map { center in (0..<2).map { _ in center.stream(Ping.self) } } ?? []
        let waiting = Task { [stream = streams[0]] in
            var numbers: [Int] = []
            for await event in stream { numbers.append(event.message?.number ?? -1) }
            return numbers
        }
        center?.post(Ping(number: 1))
        center?.post(Ping(number: 2))
        center = nil
        #expect(await waiting.value == [1, 2])
        var iterator = streams[1].makeAsyncIterator()
        for number in [1, 2] { #expect(await iterator.next()?.message?.number == number) }
        #expect(await iterator.next() == nil)
    }

    @Test func `A token says what is observed, where, and where it was registered`() {
        let token = center.observe(Ping.self) { _ in }
        let line = #line - 1
        let text = "SwitchyardCoreTests.Ping, any object, on the posting thread, registered at "
        #expect("\(token)".hasPrefix(text))
        #expect("\(token)".hasSuffix("StreamAndTokenTests.swift:\(line)"))
        token.cancel()
        #expect("\(token)".hasSuffix("StreamAndTokenTests.swift:\(line), ended"))
    }

    @Test(.rule(2)) func `Tokens in a set end with it`() {
        let log = Log<Int>()
        var tokens: Set<ObservationToken> = []
        var list: [ObservationToken] = []
        center.observe(Ping.self) { log.add($0.number) }.store(in: &tokens)
        center.observe(Ping.self) { log.add(10 * $0.number) }.store(in: &list)
        center.post(Ping(number: 1))
        tokens = []
        center.post(Ping(number: 2))
        list = []
        center.post(Ping(number: 3))
        #expect(log.entries == [1, 10, 20])
    }

    @Test(.rule(2)) func `A method and an actor whose tokens are in a set end with it`() {
        let (center, hearer, account) = (center, Hearer(), Account())
        let ours = [
            center.observe(Ping.self, with: hearer, Hearer.hear),
            center.observe(Ping.self, with: hearer, Hearer.hearLater),
            center.observe(Ping.self, on: account) { account, ping in account.sum += ping.number },
        ]
        var tokens: Set<ObservationToken> = []
        var list: [ObservationToken] = []
        for token in ours { token.store(in: &tokens) }
        #expect(tokens == Set(ours))
        tokens = []
        #expect(ours.map(\.isCancelled) == [true, true, true])
        let last = center.observe(Ping.self, with: hearer, Hearer.hear)
        last.store(in: &list)
        center.post(Ping(number: 1))
        #expect(hearer.log.entries == [1])
        list.removeAll()
        center.post(Ping(number: 2))
        #expect(hearer.log.entries == [1] && last.isCancelled)
    }

    @Test(.rule(2)) func `A token that is stored twice is given up once`() {
        let (log, hearer) = (Log<Int>(), Hearer())
        let closure = center.observe(Ping.self) { log.add($0.number) }
        let method = center.observe(Ping.self, with: hearer, Hearer.hear)
        // Put there by hand, a method's token ends nothing; stored, it does.
        var tokens: Set = [closure, method]
        for _ in 0..<2 {
            closure.store(in: &tokens)
            method.store(in: &tokens)
        }
        #expect(tokens.count == 2)
        center.post(Ping(number: 1))
        #expect(log.entries == [1] && hearer.log.entries == [1])
        // Given up: a method's observation ends, a closure's has another token.
        tokens = []
        #expect(method.isCancelled && !closure.isCancelled)
        center.post(Ping(number: 2))
        #expect(log.entries == [1, 2] && hearer.log.entries == [1])
    }

    @Test(.rule(2)) func `A token that is taken out of its set is the one to keep`() {
        let hearer = Hearer()
        var tokens: Set<ObservationToken> = []
        center.observe(Ping.self, with: hearer, Hearer.hear).store(in: &tokens)
        var taken = tokens.popFirst()
        center.post(Ping(number: 1))
        #expect(taken?.isCancelled == false)
        taken = nil
        center.post(Ping(number: 2))
        #expect(hearer.log.entries == [1])
    }
}

private final class Hearer: Sendable {
    let log = Log<Int>()
    func hear(_ ping: Ping) { log.add(ping.number) }
    func hearLater(_ ping: Ping) async { log.add(ping.number) }
}

private actor Account {
    var sum = 0
}

extension StreamAndTokenTests {
    @Test(.rule(30, 41)) func `A stream with a condition has what fulfils it, in its limit`() async
    {
        let stream = center.stream(
            Ping.self, buffering: .dropOldest(above: 2),
            options: .where { (ping: Ping) in ping.number.isMultiple(of: 10) })
        let receipts = (1...20).map { center.postAndReport(Ping(number: $0)) }
        #expect(receipts.map(\.filtered).reduce(0, +) == 18)
        var numbers: [Int?] = []
        for await event in stream.prefix(2) { numbers.append(event.message?.number) }
        #expect(numbers == [10, 20])
    }

    @Test(.rule(30)) func `A one-shot stream ends with its first message`() async {
        let stream = center.stream(Ping.self, options: .once)
        for number in 1...2 { center.post(Ping(number: number)) }
        var numbers: [Int?] = []
        for await event in stream { numbers.append(event.message?.number) }
        #expect(numbers == [1])
    }

    @Test(.rule(5, 30)) func `A stream about an object that has died ends with its center`() async {
        var center: MessageCenter? = MessageCenter()
        var item: Item? = Item()
        let heard = Log<Int>()
        if let stream = center?.stream(Ping.self, of: item) {
            Task {
                for await event in stream { heard.add(event.message?.number ?? 0) }
                heard.add(-1)
            }
        }
        if let item { center?.post(Ping(number: 1), subject: item) }
        #expect(await heard.arrival(of: 1) == [1])
        item = nil
        // Registrations of others find that the object has died.
        let tokens = (0..<2_000).map { center?.observe(Tick.self, of: "\($0)") { _ in } }
        center = nil
        #expect(await heard.arrival(of: 2) == [1, -1])
        withExtendedLifetime(tokens) {}
    }
}
