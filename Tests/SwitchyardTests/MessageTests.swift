// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import TestSupport
import Testing

/// SF-0011's messages.
@Suite("Messages with names") struct MessageTests {
    typealias Center = Switchyard.NotificationCenter
    let center = Center()

    final class Converter: Sendable {}

    struct Added: Center.AsyncMessage {
        typealias Subject = Converter
        static let name = Notification.Name("converterAdded")
        var format: String

        static func makeMessage(_ notification: Notification) -> Added? {
            (notification.userInfo?["format"] as? String).map { Added(format: $0) }
        }

        static func makeNotification(_ message: Added) -> Notification {
            Notification(name: name, userInfo: ["format": message.format])
        }
    }

    struct Shown: Center.MainActorMessage {
        typealias Subject = Converter
        var number = 0
    }

    @Test(.rule(9)) func `AsyncMessage observers run in the order of posting, one at a time`() async
    {
        let log = Log<String>()
        let token = center.addObserver(for: Added.self) { message in
            log.add("begin \(message.format)")
            await Task.yield()
            log.add("end \(message.format)")
        }
        for number in 0..<100 { center.post(Added(format: "\(number)")) }
        let expected = (0..<100).flatMap { ["begin \($0)", "end \($0)"] }
        await log.arrival(of: 200)
        #expect(log.entries == expected)
        center.removeObserver(token)
    }

    @Test(.rule(13)) func `An AsyncMessage observer gets nothing after its removal`() async {
        let log = Log<String>()
        let leave = Log<Void>()
        let token = center.addObserver(for: Added.self) { message in
            log.add(message.format)
            await leave.arrival(of: 1)
            log.add("end \(message.format)")
        }
        for number in 0..<10 { center.post(Added(format: "\(number)")) }
        await log.arrival(of: 1)
        token.cancel()
        leave.add(())
        // Late deliveries would have come by the time that a later observer has had all of its own.
        let other = Log<String>()
        let last = center.addObserver(for: Added.self) { other.add($0.format) }
        for number in 0..<10 { center.post(Added(format: "\(number)")) }
        await other.arrival(of: 10)
        await log.arrival(of: 2)
        #expect(log.entries == ["0", "end 0"])
        last.cancel()
    }

    @Test func `A message reaches observers of its name, and a notification those of the message`()
        async
    {
        let converter = Converter()
        let names = Log<String>()
        let messages = Log<String>()
        _ = center.addObserver(forName: Added.name, object: converter, queue: nil) { note in
            names.add("\(note.userInfo?["format"] ?? "-") \(note.object is Converter)")
        }
        let token = center.addObserver(of: converter, for: Added.self) { messages.add($0.format) }
        center.post(Added(format: "RTF"), subject: converter)
        center.post(name: Added.name, object: converter, userInfo: ["format": "PDF"])
        await messages.arrival(of: 2)
        #expect(names.entries == ["RTF true", "PDF true"])
        #expect(messages.entries == ["RTF", "PDF"])
        token.cancel()
    }

    @Test func `A notification that is no message is reported, and the others get it`() {
        let problems = Log<String>()
        center.onProblem { problems.add("\($0.kind) of \($0.topic ?? "?")") }
        let log = Log<String>()
        let token = center.observe(Added.self) { _ in log.add("message") }
        _ = center.addObserver(forName: Added.name, object: nil, queue: nil) { _ in log.add("name")
        }
        center.post(name: Added.name, object: nil)
        #expect(log.entries == ["name"])
        #expect(problems.entries == ["notConvertible of \"converterAdded\""])
        token.cancel()
    }

    @Test
    func `observe hears messages with names too, also posted where only the protocol is known`() {
        func post(_ message: some NotificationMessage) { center.post(message) }
        let log = Log<String>()
        let token = center.observe(Added.self) { log.add($0.format) }
        post(Added(format: "RTF"))
        center.post(Added(format: "PDF"))
        #expect(log.entries == ["RTF", "PDF"])
        token.cancel()
    }

    @Test func `Any name hears messages that have one`() {
        let log = Log<String>()
        _ = center.addObserver(forName: nil, object: nil, queue: nil) { log.add($0.name.rawValue) }
        center.post(Added(format: "RTF"))
        #expect(log.entries == ["converterAdded"])
    }

    @Test(.rule(10)) @MainActor func `A main-actor message is delivered within its post`() {
        var numbers: [Int] = []
        let token = center.addObserver(for: Shown.self) { numbers.append($0.number) }
        // The delivery does not wait behind the mail for main. This is the one exception.
        let log = Log<String>()
        let mail = center.observe(.other, on: .main, options: .queued) { _ in log.add("mail") }
        center.post(name: .other, object: nil)
        center.post(Shown(number: 1))
        #expect(numbers == [1])
        #expect(log.entries == [])
        withExtendedLifetime((token, mail)) {}
    }

    @Test @MainActor func `A main-actor message is heard under its name elsewhere`() async {
        let log = Log<String>()
        let token = center.observe(
            Shown.name, on: .dispatchQueue(DispatchQueue(label: "elsewhere"))
        ) { log.add($0.name.rawValue) }
        center.post(Shown())
        #expect(await log.arrival(of: 1) == [Shown.name.rawValue])
        token.cancel()
    }

    @Test @MainActor func `A main-actor message under its name heard from a background post`() async
    {
        struct Named: Center.MainActorMessage {
            typealias Subject = Converter
            static let name = Notification.Name("named")
            static func makeMessage(_ notification: Notification) -> Named? { Named() }
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let token = center.addObserver(for: Named.self) { _ in
            MainActor.assertIsolated()
            continuation.yield()
        }
        await Task.detached { [center] in center.post(name: Named.name, object: nil) }.value
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
        token.cancel()
    }

    @Test(.rule(30))
    func `The sequence messages observes from makeAsyncIterator and keeps the newest`()
        async throws
    {
        let sequence = center.messages(for: Added.self, bufferSize: 3)
        center.post(Added(format: "missed"))
        var iterator = sequence.makeAsyncIterator()
        for number in 0..<5 { center.post(Added(format: "\(number)")) }
        var formats: [String] = []
        for _ in 0..<3 {
            if let message = try await iterator.next() { formats.append(message.format) }
        }
        #expect(formats == ["2", "3", "4"])
    }

    @Test(.rule(19)) func `A token that goes out of scope ends its observation`() async {
        do { _ = center.addObserver(for: Added.self) { _ in } }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test(.rule(21)) func `Methods of a main-actor class are called on the main actor`() async {
        @MainActor final class Window {
            var closed = 0
            let done: @Sendable () -> Void
            init(_ done: @escaping @Sendable () -> Void) { self.done = done }
            func close(_ note: Notification) {
                MainActor.assertIsolated()
                closed += 1
                done()
            }
            func ping(_ ping: Ping) {
                MainActor.assertIsolated()
                closed += 1
                done()
            }
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let window = await Window { continuation.yield() }
        center.observe(.happened, with: window, Window.close)
        center.observe(Ping.self, with: window, Window.ping)
        await Task.detached { [center] in
            center.post(name: .happened, object: nil)
            center.post(Ping())
        }.value
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
        await iterator.next()
        #expect(await window.closed == 2)
    }

    @Test func `A sequence of messages under a name ends when its center has gone`() async throws {
        func iterator<Sequence: AsyncSequence>(
            _ make: (Center) -> Sequence
        ) -> Sequence.AsyncIterator {
            make(Center()).makeAsyncIterator()
        }
        var messages = iterator { $0.messages(for: Added.self) }
        var stream = iterator { $0.stream(Added.self) }
        #expect(try await messages.next() == nil)
        #expect(await stream.next() == nil)
    }
}
