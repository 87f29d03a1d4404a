// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

@Suite("Expectations", .timeLimit(.minutes(5))) struct ExpectTests {
    let center = Switchyard.NotificationCenter()
    let converter = Converter()

    @Test func `A post by the action itself is not missed`() async throws {
        let message = try await center.expect(ConverterAdded.self) {
            center.post(ConverterAdded(format: "TXT"))
        }
        #expect(message.format == "TXT")
        let notification = try await center.expect(.happened) {
            center.post(name: .happened, object: nil, userInfo: ["number": 1])
        }
        #expect(notification.userInfo?["number"] as? Int == 1)
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `A later post by another thread is waited for`() async throws {
        let clock = ManualClock()
        let post = Task { [center] in
            try await clock.sleep(for: .seconds(1))
            center.post(ConverterAdded(format: "late"))
        }
        let message = try await center.expect(ConverterAdded.self, within: patience) {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
        }
        #expect(message.format == "late")
        try await post.value
    }

    @Test func `An expectation works with a center of typed messages alone`() async throws {
        let center = MessageCenter()
        try await center.expect(ConverterAdded.self, of: converter) {
            center.post(ConverterAdded(), subject: converter)
        }
    }

    @Test func `Subject and object must match, and where must agree`() async throws {
        let (center, converter) = (center, converter)
        let message = try await center.expect(
            ConverterAdded.self, of: converter, where: { $0.format == "3" },
            action: {
                center.post(ConverterAdded(format: "1"), subject: converter)
                center.post(ConverterAdded(format: "3"), subject: Converter())
                center.post(ConverterAdded(format: "3"), subject: converter)
            })
        #expect(message.format == "3")
        let notification = try await center.expect(
            .happened, of: converter, where: { $0.userInfo != nil },
            action: {
                center.post(name: .happened, object: nil, userInfo: ["from": "nobody"])
                center.post(name: .happened, object: converter)
                center.post(name: .happened, object: converter, userInfo: ["from": "converter"])
            })
        #expect(notification.userInfo?["from"] as? String == "converter")
    }

    @Test func `An expectation of several posts returns all posts that came by then`() async throws
    {
        let messages = try await center.expect(ConverterAdded.self, count: 2) {
            for number in 1...3 { center.post(ConverterAdded(format: "\(number)")) }
        }
        #expect(messages.map(\.format) == ["1", "2", "3"])
        let notifications = try await center.expect(.happened, count: 2) {
            for _ in 1...2 { center.post(name: .happened, object: nil) }
        }
        #expect(notifications.count == 2)
    }

    @Test func `A message with a name is expected by its type or its name`() async throws {
        try await center.expect(Renamed.self) { center.post(Renamed()) }
        try await center.expect(Renamed.name) { center.post(Renamed()) }
    }

    @Test func `Time runs on the clock given; the failure says what came meanwhile`() async throws {
        let (center, converter, clock) = (center, converter, ManualClock())
        async let failed = failure {
            try await center.expect(
                ConverterAdded.self, of: converter, count: 2, within: .seconds(3), on: clock,
                where: { $0.format == "RTF" }
            ) {
                center.post(ConverterAdded(), subject: converter)
                center.post(ConverterAdded(format: "TXT"), subject: converter)
                center.post(ConverterAdded(), subject: Converter())
                center.post(name: .other, object: "me")
                center.post(name: .other, object: "me")
            }
        }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(3) - .nanoseconds(1))
        #expect(clock.sleepers == 1)
        clock.advance(by: .nanoseconds(1))
        let failure = try #require(await failed)
        #expect(failure.code == .timedOut)
        for part in [
            "ExpectTests.swift:", "2 × ConverterAdded", "3.0 seconds", "1 came.",
            "`where` refused 1: ConverterAdded(format: \"TXT\")",
            "1 came about another object or none", "2 × \"other\" about object me",
        ] {
            #expect(failure.description.contains(part), "\(failure)")
        }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `The failure for a name lists what was posted under names`() async throws {
        let (center, clock) = (center, ManualClock())
        async let failed = failure {
            try await center.expect(.happened, of: converter, within: .seconds(1), on: clock) {
                center.post(name: .happened, object: nil)
            }
        }
        try await clock.waitForSleepers()
        clock.advanceToNextDeadline()
        let failure = try #require(await failed)
        #expect(
            failure.description.contains("none came. Under names, this was posted: \"happened\"."))
    }

    @Test func `The failure also says that nothing was posted`() async throws {
        let failure = try #require(
            await failure { try await center.expect(.happened, within: .zero) {} })
        #expect(failure.description.contains("Nothing like it was posted meanwhile"))
    }

    @Test func `The time limit begins when the action has returned`() async throws {
        let clock = ManualClock()
        try await center.expect(.happened, within: .seconds(1), on: clock) {
            clock.advance(by: .seconds(5))
            #expect(clock.sleepers == 0)
            center.post(name: .happened, object: nil)
        }
    }

    @Test func `A post that is consumed is seen, whatever the consumer's priority`() async throws {
        for priority in [0, 100] {
            let token = center.consume(ConverterAdded.self, priority: priority) { _ in .consumed }
            try await center.expect(ConverterAdded.self) { center.post(ConverterAdded()) }
            await #expect(throws: ExpectationFailure.self) {
                try await center.expectNone(ConverterAdded.self) {
                    #expect(center.postAndReport(ConverterAdded()).isConsumed)
                }
            }
            token.cancel()
        }
    }

    @Test func `A named post that is consumed is seen by name and by type`() async throws {
        let token = center.consume(Renamed.name) { _ in .consumed }
        let recorder = NotificationRecorder()
        recorder.record(Renamed.name, from: center)
        await #expect(throws: ExpectationFailure.self) {
            try await center.expectNone(Renamed.self) { center.post(Renamed()) }
        }
        await #expect(throws: ExpectationFailure.self) {
            try await center.expectNone(Renamed.name) { center.post(Renamed()) }
        }
        #expect(recorder.entries.count == 2)
        token.cancel()
    }

    @Test func `expectNone fails with the posts that came, and passes without any`() async throws {
        try await center.expectNone(ConverterAdded.self, of: converter) {
            center.post(ConverterAdded())
        }
        try await center.expectNone(
            .happened, where: { $0.object != nil },
            action: { center.post(name: .happened, object: nil) })
        let message = try #require(
            await failure {
                try await center.expectNone(ConverterAdded.self) { center.post(ConverterAdded()) }
            })
        #expect(message.code == .unexpected)
        #expect(message.description.contains("1 came: ConverterAdded(format: \"RTF\")"))
        let named = try #require(
            await failure {
                try await center.expectNone(.happened) { center.post(name: .happened, object: nil) }
            })
        #expect(named.description.contains("expected no \"happened\"; 1 came"))
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `A cancelled test stops waiting at once`() async throws {
        let (center, clock) = (center, ManualClock())
        let waiting = Task {
            _ = try await center.expect(.happened, within: .seconds(1), on: clock) {}
        }
        try await clock.waitForSleepers()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(clock.sleepers == 0)
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `A message that comes in time also ends the clock's sleep`() async throws {
        let clock = ManualClock()
        async let arrived: Void = {
            _ = try await center.expect(.happened, within: .seconds(1), on: clock) {}
        }()
        try await clock.waitForSleepers()
        center.post(name: .happened, object: nil)
        try await arrived
        #expect(clock.sleepers == 0)
    }

    @Test func `An error of the action is thrown`() async {
        struct Refused: Error {}
        await #expect(throws: Refused.self) {
            try await center.expect(.happened) { throw Refused() }
        }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test
    func `An expectation changes no receipt, and a post that it alone hears is a dead letter`()
        async throws
    {
        let letters = Log<String>()
        center.onDeadLetter { letters.add($0) }
        try await center.expect(ConverterAdded.self) {
            #expect(center.postAndReport(ConverterAdded()).reachedNobody)
            let token = center.observe(ConverterAdded.self) { _ in }
            #expect(center.postAndReport(ConverterAdded()).delivered == 1)
            token.cancel()
        }
        try await center.expect(.happened) {
            #expect(center.postAndReport(name: .happened, object: nil).delivered == 0)
        }
        try await center.expect(Renamed.self) {
            #expect(center.postAndReport(Renamed()).reachedNobody)
        }
        #expect(
            letters.entries == [
                "SwitchyardTestingTests.ConverterAdded", "\"happened\"", "\"renamed\"",
            ])
    }

    @Test @MainActor func `The action runs on the caller's actor`() async throws {
        var ran = false
        let notification = try await center.expect(.happened) {
            MainActor.assertIsolated()
            ran = true
            center.post(name: .happened, object: nil)
        }
        #expect(ran && notification.name == .happened)
    }

    @Test(arguments: [
        Duration.seconds(Int64.max), .nanoseconds(Int64.max), .seconds(Int64.max / 1000),
    ])
    func `A time limit that no clock can add up is a long one`(limit: Duration) async throws {
        let ping = try await center.expect(ConverterAdded.self, within: limit) { [center] in
            Task.detached { center.post(ConverterAdded(format: "later")) }
        }
        #expect(ping.format == "later")
        let clock = ManualClock(now: ManualClock.Instant(offset: .seconds(Int64.max)))
        try await center.expect(.happened, within: limit, on: clock) { [center] in
            Task.detached { center.post(name: .happened, object: nil) }
        }
    }

    @Test func `A negative time limit is over at once`() async {
        let failure = await failure {
            try await center.expect(ConverterAdded.self, within: .seconds(Int64.min)) {}
        }
        #expect(failure?.code == .timedOut)
    }

    @Test func `A post from the object's deinit comes without the object`() async throws {
        final class Dying {
            let center: Switchyard.NotificationCenter
            init(_ center: Switchyard.NotificationCenter) { self.center = center }
            deinit { center.post(name: .happened, object: self) }
        }
        let notification = try await center.expect(.happened) { _ = Dying(center) }
        #expect(notification.object == nil)
    }
}
