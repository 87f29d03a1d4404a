// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import AsyncAlgorithms
import Foundation
import Switchyard
import SwitchyardTesting
import Synchronization
import Testing

import class Switchyard.NotificationCenter

private final class Document: Sendable {}

private struct Edited: NotificationMessage, NotificationCenter.AsyncMessage {
    typealias Subject = Document
    static let name = Notification.Name("edited")
    var text: String

    static func makeMessage(_ notification: Notification) -> Edited? {
        (notification.userInfo?["text"] as? String).map { Edited(text: $0) }
    }
}

private struct Zoomed: NotificationMessage {
    typealias Subject = Document
    var percent: Int
}

/// A sequence that counts the requests for an element: a request for the next shows that the last
/// was taken.
private struct Counted<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    final class Requests: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .acquiring) }
        func add() { count.add(1, ordering: .releasing) }
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let requests: Requests

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Base.Failure) -> Base.Element? {
            requests.add()
            return try await base.next(isolation: actor)
        }
    }

    let base: Base
    let requests = Requests()

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), requests: requests)
    }
}

/// The listings of the page "Notifications as sequences", and the promises that the page makes.
@Suite("Sequences with swift-async-algorithms", .timeLimit(.minutes(4)))
struct SequenceAlgorithmsTests {
    private let center = NotificationCenter()
    private let clock = ManualClock()

    @Test func `debounce hands out the last message of a burst`() async throws {
        let messages = Counted(base: center.stream(Edited.self).compactMap(\.message))
        let edits = messages.debounce(for: .seconds(1), clock: clock)
        let taken = Mutex<[String]>([])
        async let end: Void = {
            for await edit in edits.prefix(2) { taken.withLock { $0.append(edit.text) } }
        }()
        for text in ["a", "ab", "abc"] { center.post(Edited(text: text)) }
        try await rest(after: 3, messages.requests)
        // A message that comes before the pause has been noticed would be one of the same burst.
        try await wait { taken.withLock { $0 } == ["abc"] }
        center.post(Edited(text: "abcd"))
        try await rest(after: 4, messages.requests)
        await end
        #expect(taken.withLock { $0 } == ["abc", "abcd"])
    }

    /// Waits for a condition. The wait ends with the test, whose time is limited.
    private func wait(until condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Advances the clock by a second, once so many messages were taken and a sleeper waits.
    private func rest(
        after messages: Int, _ requests: Counted<some AsyncSequence & Sendable>.Requests
    ) async throws {
        try await wait { requests.value > messages }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
    }

    // The operator's name begins with an underscore until its proposal is accepted.
    @Test func `throttle passes the first message on, and the latest of an interval`() async throws
    {
        let messages = Counted(base: center.stream(Edited.self).compactMap(\.message))
        let edits = messages._throttle(for: .seconds(1), clock: clock)
        async let texts = edits.prefix(2).reduce(into: []) { $0.append($1.text) }
        for text in ["first", "second", "third"] { center.post(Edited(text: text)) }
        try await wait { messages.requests.value > 3 }
        clock.advance(by: .seconds(1))
        center.post(Edited(text: "fourth"))
        #expect(await texts == ["first", "fourth"])
    }

    @Test func `merge gives the events of several streams, each in the order of posting`() async {
        let edits = center.stream(Edited.self).compactMap(\.message).map(\.text)
        let zooms = center.stream(Zoomed.self).compactMap(\.message).map { "\($0.percent) %" }
        center.post(Edited(text: "a"))
        center.post(Zoomed(percent: 50))
        center.post(Edited(text: "ab"))
        var events: [String] = []
        for await event in merge(edits, zooms).prefix(3) { events.append(event) }
        #expect(events.sorted() == ["50 %", "a", "ab"])
        #expect(events.filter { $0 != "50 %" } == ["a", "ab"])
    }

    @Test func `combineLatest gives the newest of each`() async {
        let edits = center.stream(Edited.self).compactMap(\.message)
        let zooms = center.stream(Zoomed.self).compactMap(\.message)
        var pairs = combineLatest(edits, zooms).makeAsyncIterator()
        center.post(Edited(text: "a"))
        center.post(Zoomed(percent: 50))
        let first = await pairs.next()
        #expect(first?.0.text == "a")
        #expect(first?.1.percent == 50)
        center.post(Zoomed(percent: 75))
        let second = await pairs.next()
        #expect(second?.0.text == "a")
        #expect(second?.1.percent == 75)
    }

    @Test func `Notifications of a name take part as messages of a type with that name`() async {
        let edits = center.stream(Edited.self)
            .compactMap(\.message)
            .removeDuplicates { $0.text == $1.text }
        for text in ["a", "a", "ab"] {
            center.post(name: Edited.name, object: nil, userInfo: ["text": text])
        }
        var texts: [String] = []
        for await edit in edits.prefix(2) { texts.append(edit.text) }
        #expect(texts == ["a", "ab"])
    }

    @Test func `SF-0011's messages take part, too`() async throws {
        let edits = center.messages(for: Edited.self).chunks(ofCount: 2)
        async let texts = edits.first { _ in true }?.map(\.text)
        try await wait { !center.snapshot().entries.isEmpty }
        for text in ["a", "ab"] { center.post(Edited(text: text)) }
        #expect(await texts == ["a", "ab"])
    }

    @Test func `Cancelling the task that iterates ends the observation`() async throws {
        let task = Task { [center, clock] in
            let edits = center.stream(Edited.self).compactMap(\.message)
            let zooms = center.stream(Zoomed.self).compactMap(\.message)
            let both = combineLatest(edits, zooms).debounce(for: .seconds(1), clock: clock)
            for await _ in both {}
        }
        try await wait { center.snapshot().entries.count == 2 }
        task.cancel()
        await task.value
        try await wait { center.snapshot().entries.isEmpty }
    }
}
