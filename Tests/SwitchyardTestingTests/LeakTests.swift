// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

/// An observer that hears with a closure, whose token it keeps, or with a method.
private final class Inspector: Sendable {
    private let tokens = Log<ObservationToken>()
    func hear(_ message: ConverterAdded) {}
    func hearNamed(_ notification: Notification) {}
    func listen(to center: Switchyard.NotificationCenter) {
        tokens.add(center.observe(.happened, options: .owned(by: self)) { _ in })
    }
    /// Observes, and gives the token away.
    func leak(to center: Switchyard.NotificationCenter) -> ObservationToken {
        center.observe(.happened, options: .owned(by: self)) { _ in }
    }
}

@Suite("Leaks", .timeLimit(.minutes(5))) struct LeakTests {
    private let center = Switchyard.NotificationCenter()
    private let kept = Log<ObservationToken>()
    private let clock = ManualClock()

    /// The message about the observations that `body` leaves behind.
    private func leaks(
        allowing allowed: [String] = [], _ body: () async throws -> Void
    ) async -> String? {
        let failure = await failure {
            try await expectNoLeaks(in: center, within: .zero, on: clock, allowing: allowed, body)
        }
        if let failure { #expect(failure.code == .leaked) }
        return failure?.description
    }

    @Test func `An observation that ends with its owner is no leak, and the check does not wait`()
        async throws
    {
        let result = try await expectNoLeaks(in: center, on: clock) {
            Inspector().listen(to: center)
            center.observe(ConverterAdded.self) { _ in }.cancel()
            return 7
        }
        #expect(result == 7)
        #expect(clock.sleepers == 0)
    }

    @Test func `A leak is named with its topic, its line, and the owner that has died`()
        async throws
    {
        let line = #line + 2
        let words = await leaks {
            kept.add(center.observe(.happened, options: .owned(by: Inspector())) { _ in })
        }
        let text = try #require(words)
        #expect(text.contains("1 observation outlived the scope:\n  \"happened\", any object, on "))
        #expect(text.contains("registered at SwitchyardTestingTests/LeakTests.swift:\(line) "))
        #expect(text.hasSuffix("(a closure; its owner, an Inspector, has died)"))
    }

    @Test func `The failure begins with the line of the expectation`() async throws {
        let line = #line + 2
        let failure = await failure {
            try await expectNoLeaks(in: center, within: .zero) {
                kept.add(center.observe(.happened) { _ in })
            }
        }
        let text = try #require(failure?.description)
        #expect(text.hasPrefix("SwitchyardTestingTests/LeakTests.swift:\(line): 1 observation "))
    }

    @Test func `An owner that lives is named, and an owner that no option names is called unknown`()
        async throws
    {
        let inspector = Inspector()
        let owned = await leaks { kept.add(inspector.leak(to: center)) }
        #expect(try #require(owned).hasSuffix("(a closure; its owner, an Inspector, lives)"))
        let unknown = await leaks { kept.add(center.observe(.happened) { _ in }) }
        #expect(
            try #require(unknown).hasSuffix(
                "(a closure; its owner is unknown: register it with options: .owned(by: self), to "
                    + "have it named)"))
        withExtendedLifetime(inspector) {}
    }

    @Test func `A method's observation is a leak for as long as its object lives`() async throws {
        #expect(
            await leaks {
                let inspector = Inspector()
                center.observe(ConverterAdded.self, with: inspector, Inspector.hear)
                center.observe(.happened, with: inspector, Inspector.hearNamed)
            } == nil)
        let inspector = Inspector()
        let words = await leaks {
            center.observe(ConverterAdded.self, with: inspector, Inspector.hear)
            center.observe(.happened, with: inspector, Inspector.hearNamed)
        }
        let text = try #require(words)
        #expect(text.contains("2 observations outlived the scope:"))
        #expect(
            text.components(separatedBy: "(a method of Inspector; the object lives)").count == 3)
        withExtendedLifetime(inspector) {}
    }

    @Test func `Blocks and sequences are named as what they are`() async throws {
        let block = await leaks {
            _ = center.addObserver(forName: .happened, object: nil, queue: nil) { _ in }
        }
        #expect(
            try #require(block).contains(
                "(a block; its owner is unknown: register it with observe(_:options:using:)"))
        let streams = Log<MessageStream<ConverterAdded>>()
        let stream = await leaks { streams.add(center.stream(ConverterAdded.self)) }
        #expect(try #require(stream).hasSuffix("(a stream)"))
    }

    @Test func `Earlier registrations, and those with another center, are nobody's leak here`()
        async
    {
        let (earlier, other) = (center.observe(.happened) { _ in }, Switchyard.NotificationCenter())
        #expect(await leaks { kept.add(other.observe(.happened) { _ in }) } == nil)
        withExtendedLifetime(earlier) {}
    }

    @Test func `Allowed places may leave what they register`() async {
        let line = #line + 1
        let leak = { kept.add(center.observe(.happened) { _ in }) }
        #expect(await leaks(allowing: ["LeakTests.swift:\(line)"]) { leak() } == nil)
        #expect(await leaks(allowing: ["SwitchyardTestingTests/LeakTests.swift"]) { leak() } == nil)
        #expect(await leaks(allowing: ["LeakTests.swift:\(line + 1)"]) { leak() } != nil)
        #expect(await leaks(allowing: ["Tests.swift"]) { leak() } != nil)
    }

    @Test func `An observation that ends before the time is over is no leak`() async throws {
        let token = center.observe(.other) { _ in }
        token.cancel()
        async let done: Void = expectNoLeaks(in: center, within: .seconds(1), on: clock) {
            kept.add(center.observe(.happened) { _ in })
        }
        try await clock.waitForSleepers()
        kept.entries[0].cancel()
        clock.advance(by: .milliseconds(1))
        try await done
    }

    @Test func `An observation that is still there when the time is over is a leak`() async throws {
        async let failed = failure {
            try await expectNoLeaks(in: center, within: .seconds(1), on: clock) {
                kept.add(center.observe(.happened) { _ in })
            }
        }
        try await clock.waitForSleepers()
        clock.advance(by: .milliseconds(999))
        try await clock.waitForSleepers()
        #expect(clock.nextDeadline == .init(offset: .seconds(1)))
        clock.advance(by: .milliseconds(1))
        #expect(await failed?.code == .leaked)
    }

    @Test func `A check without a center looks at the default center of the task`() async throws {
        let failure = await failure {
            try await NotificationCenter.withDefault(center) {
                try await expectNoLeaks(within: .zero) {
                    kept.add(NotificationCenter.default.observe(.happened) { _ in })
                }
            }
        }
        #expect(failure?.code == .leaked)
    }

    @Test func `An error of the body goes before its leaks`() async {
        await #expect(throws: CancellationError.self) {
            try await expectNoLeaks(in: center, within: .zero) {
                kept.add(center.observe(.happened) { _ in })
                throw CancellationError()
            }
        }
    }

    @Test func `The failure lists twelve of many leaks, and counts the others`() async throws {
        let words = await leaks {
            for _ in 0..<15 { kept.add(center.observe(.happened) { _ in }) }
        }
        let text = try #require(words)
        #expect(text.contains("15 observations outlived the scope:"))
        #expect(text.hasSuffix("\n  and 3 more"))
        #expect(text.components(separatedBy: "\n").count == 14)
    }
}
