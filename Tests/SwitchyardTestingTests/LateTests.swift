// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

private struct Number: NotificationMessage { var value = 0 }
private struct Text: NotificationMessage { var value = "" }

@Suite("Late deliveries", .timeLimit(.minutes(5))) struct LateTests {
    private let center = Switchyard.NotificationCenter()
    private let clock = ManualClock()
    private let mailbox = ManualMailbox(label: "desk")
    private let told = Log<LateDelivery>()

    /// Watches for deliveries that are ten seconds late.
    private func watch(_ center: Switchyard.NotificationCenter? = nil) {
        (center ?? self.center).onLate(after: .seconds(10), on: mailbox.context, clock: clock) {
            [told] in told.add($0)
        }
    }

    /// Observes numbers with a handler that takes as many seconds as they say.
    private func observe(_ options: ObservationOptions = .standard) -> ObservationToken {
        center.observe(Number.self, on: mailbox.context, options: options) { [clock] number in
            clock.advance(by: .seconds(number.value))
        }
    }

    @Test func `A handler that takes too long is named, and a handler in time is not`() throws {
        watch()
        let line = #line + 1
        let token = center.observe(Number.self, on: mailbox.context) { [clock] number in
            clock.advance(by: .seconds(number.value))
        }
        for seconds in [9, 10] {
            center.post(Number(value: seconds))
            mailbox.drain()
        }
        let late = try #require(told.entries.last)
        #expect(told.entries.filter { !$0.isStillRunning }.count == 1)
        #expect(late.topic.hasSuffix("Number"))
        #expect(late.origin.line == line)
        #expect(late.context == "desk")
        #expect(late.took == .seconds(10))
        #expect(late.waited == .zero)
        #expect(late.isStillRunning == false)
        #expect(late.description.contains("took 10.0 seconds on desk"))
        token.cancel()
    }

    @Test(.rule(42)) func `A pause does not make its deliveries late`() {
        watch()
        let token = observe()
        token.pause()
        center.post(Number())
        mailbox.drain()
        clock.advance(by: .seconds(20))
        token.resume()
        mailbox.drain()
        #expect(told.entries.isEmpty && mailbox.depth == 0)
        // Its wait before the pause began.
        center.post(Number())
        clock.advance(by: .seconds(20))
        mailbox.drain()
        #expect(told.entries.map(\.waited) == [.seconds(20)])
        token.cancel()
    }

    @Test func `A handler that has ended its thread is not late`() async throws {
        watch()
        let (worker, gate) = (DeliveryThread(name: "leaver"), Gate())
        let tokens = [
            center.observe(Text.self, on: mailbox.context) { _ in Thread.exit() },
            center.observe(Number.self, on: mailbox.context) { _ in gate.wait() },
        ]
        center.post(Text())
        worker.perform { [mailbox] in mailbox.drain() }
        await onOwnThread { #expect(worker.join(timeout: patience)) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        center.post(Number())
        async let drained: Void = onOwnThread { mailbox.drain() }
        await until { mailbox.depth == 0 }
        clock.advance(by: .seconds(5))
        // The timer has looked at what is under way, and sleeps on.
        await until { clock.nextDeadline.map { clock.now.duration(to: $0) } == .seconds(5) }
        #expect(told.entries.isEmpty)
        gate.open()
        await drained
        for token in tokens { token.cancel() }
    }

    @Test func `A handler that hangs is named while it hangs, and once more when it has returned`()
        async throws
    {
        watch()
        let gate = Gate()
        let token = center.observe(Text.self, on: mailbox.context) { _ in gate.wait() }
        center.post(Text())
        async let drained: Void = onOwnThread { mailbox.drain() }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        #expect(told.entries.isEmpty)
        clock.advance(by: .seconds(1))
        let hanging = try #require(await told.arrival(of: 1).first)
        #expect(hanging.isStillRunning)
        #expect(hanging.took == .seconds(10))
        #expect(hanging.description.contains("has been running for 10.0 seconds on desk"))
        clock.advance(by: .seconds(5))
        gate.open()
        await drained
        #expect(told.entries.map(\.isStillRunning) == [true, false])
        #expect(told.entries.last?.took == .seconds(15))
        token.cancel()
    }

    /// A clock whose first `sleep` fails.
    private final class UnreliableClock: Clock {
        struct Failure: Error {}
        let clock = ManualClock()
        private let failures = Log<Duration>()
        var now: ManualClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            if !failures.entries.isEmpty { return try await clock.sleep(until: deadline) }
            failures.add(deadline.offset)
            throw Failure()
        }
    }

    @Test func `After a clock's sleep has failed, a later handler that hangs is named`()
        async throws
    {
        let clock = UnreliableClock()
        center.onLate(after: .seconds(10), on: mailbox.context, clock: clock) { [told] in
            told.add($0)
        }
        let gate = Gate()
        defer { gate.open() }
        let hung = Log<Void>()
        let token = center.observe(Text.self, on: mailbox.context) { text in
            if text.value == "hang" {
                hung.add(())
                gate.wait()
            }
        }
        // Some deliveries may find the first timer still about to fail.
        try #require(
            await until {
                center.post(Text())
                mailbox.drain()
                return clock.clock.sleepers > 0
            })
        center.post(Text(value: "hang"))
        async let drained: Void = onOwnThread { mailbox.drain() }
        await hung.arrival(of: 1)
        clock.clock.advance(by: .seconds(10))
        #expect(try #require(await told.arrival(of: 1).first).isStillRunning)
        gate.open()
        await drained
        token.cancel()
    }

    @Test func `A delivery that waited too long is told, and those that follow it are not`() {
        watch()
        let token = observe()
        for _ in 0..<3 { center.post(Number()) }
        clock.advance(by: .seconds(9))
        center.post(Number())
        clock.advance(by: .seconds(1))
        mailbox.drain()
        #expect(told.entries.map(\.waited) == [.seconds(10)])
        #expect(told.entries.map(\.took) == [.zero])
        // The last delivery came in time, so the next late one is reported again.
        center.post(Number())
        clock.advance(by: .seconds(12))
        mailbox.drain()
        #expect(told.entries.map(\.waited) == [.seconds(10), .seconds(12)])
        token.cancel()
    }

    @Test func `Messages of every size, names and bounds are watched alike`() {
        watch()
        let slow: @Sendable () -> Void = { [clock] in clock.advance(by: .seconds(10)) }
        let tokens = [
            observe(),
            center.observe(Text.self, on: mailbox.context) { _ in slow() },
            center.observe(.happened, on: mailbox.context) { _ in slow() },
            center.observe(
                Converter.Sent.self, on: mailbox.context, options: .bounded(.dropOldest(above: 2))
            ) { _ in slow() },
        ]
        let ends = { [told] in told.entries.count { !$0.isStillRunning } }
        center.post(Number(value: 10))
        mailbox.drain()
        #expect(ends() == 1)
        center.post(Text())
        mailbox.drain()
        #expect(ends() == 2)
        center.post(name: .happened, object: nil)
        mailbox.drain()
        #expect(ends() == 3)
        for _ in 0..<5 { center.post(Converter.Sent()) }
        #expect(center.snapshot().entries.last?.lost == 3)
        mailbox.drain()
        // Two deliveries were not dropped, and the second has waited for the first, too.
        #expect(ends() == 5)
        withExtendedLifetime(tokens) {}
    }

    @Test func `A delivery whose observation ended while it waited is not reported`() {
        watch()
        let token = observe()
        center.post(Number(value: 10))
        clock.advance(by: .seconds(20))
        token.cancel()
        mailbox.drain()
        #expect(told.entries.isEmpty)
    }

    @Test func `Each center hears of its own deliveries, and of no other center's in the mailbox`()
    {
        let (other, others) = (Switchyard.NotificationCenter(), Log<LateDelivery>())
        watch()
        other.onLate(after: .seconds(20), on: mailbox.context, clock: clock) { others.add($0) }
        let tokens = [
            observe(),
            other.observe(Text.self, on: mailbox.context) { [clock] _ in
                clock.advance(by: .seconds(30))
            },
        ]
        other.post(Text())
        mailbox.drain()
        #expect(told.entries.isEmpty)
        #expect(others.entries.filter { !$0.isStillRunning }.map(\.took) == [.seconds(30)])
        withExtendedLifetime(tokens) {}
    }

    @Test(arguments: [false, true])
    func `The deliveries that a pause kept are watched one by one`(isInline: Bool) {
        watch()
        let token = observe()
        token.pause()
        for _ in 0..<3 { center.post(Number(value: 4)) }
        if isInline { mailbox.drain() }
        token.resume()
        mailbox.drain()
        #expect(told.entries.isEmpty)
        token.pause()
        center.post(Number(value: 20))
        token.resume()
        mailbox.drain()
        #expect(told.entries.filter { !$0.isStillRunning }.map(\.took) == [.seconds(20)])
        token.cancel()
    }

    @Test func `A mailbox that another center watches delivers for all in order`() {
        let (other, heard) = (Switchyard.NotificationCenter(), Log<Int>())
        watch(other)
        let token = center.observe(Number.self, on: mailbox.context) { heard.add($0.value) }
        let text = center.observe(Text.self, on: mailbox.context) { heard.add(Int($0.value) ?? 0) }
        for value in 0..<6 {
            if value.isMultiple(of: 2) {
                #expect(center.postAndReport(Number(value: value)).queued == 1)
            } else {
                #expect(center.postAndReport(Text(value: "\(value)")).queued == 1)
            }
            if value == 3 { watch() }
            if value == 4 { other.onLate(after: .seconds(1), on: mailbox.context, nil) }
        }
        mailbox.drain()
        #expect(heard.entries == Array(0..<6))
        withExtendedLifetime((token, text)) {}
    }

    @Test func `A hook that is set to nil is not called, and goes with what it captured`() {
        let captured = Box(Converter())
        center.onLate(after: .seconds(10), on: mailbox.context, clock: clock) {
            [told, converter = captured.value] late in
            told.add(late)
            _ = converter
        }
        let witness = captured.witness()
        captured.drop()
        #expect(witness.isAlive)
        let token = observe()
        center.onLate(after: .seconds(10), on: mailbox.context, nil)
        #expect(!witness.isAlive)
        center.post(Number(value: 10))
        mailbox.drain()
        #expect(told.entries.isEmpty)
        token.cancel()
    }

    @Test func `A center that goes takes its hook along`() {
        let captured = Box(Converter())
        let witness = captured.witness()
        do {
            let center = Switchyard.NotificationCenter()
            center.onLate(after: .seconds(10), on: mailbox.context, clock: clock) {
                [converter = captured.value] _ in _ = converter
            }
        }
        captured.drop()
        #expect(!witness.isAlive)
    }

    @Test func `A mailbox that ends while it is watched reports what waited, as others do`() {
        let problems = Log<Int>()
        center.onProblem { problems.add($0.count) }
        watch()
        let token = observe()
        for _ in 0..<3 { center.post(Number()) }
        mailbox.close()
        #expect(problems.entries == [3])
        #expect(center.postAndReport(Number()).undeliverable == 1)
        #expect(told.entries.isEmpty)
        token.cancel()
    }

    @Test @MainActor func `A delivery that a post on the main actor makes there is watched`() async
    {
        let (center, clock) = (Switchyard.NotificationCenter(), ManualClock())
        center.onLate(after: .seconds(10), on: .main, clock: clock) { [told] in told.add($0) }
        let token = center.observe(Number.self, on: .main) { [clock] number in
            clock.advance(by: .seconds(number.value))
        }
        center.post(Number(value: 11))
        // The post itself makes the delivery, unless mail of other tests waits for the main actor.
        await until { told.entries.contains { !$0.isStillRunning } }
        #expect(told.entries.filter { !$0.isStillRunning }.map(\.took) == [.seconds(11)])
        #expect(told.entries.last?.waited == .zero)
        token.cancel()
    }

    @Test func `The posting thread's context has nothing to watch, and says so`() async {
        await #expect(processExitsWith: .failure) {
            NotificationCenter().onLate(after: .seconds(1), on: .poster) { _ in }
        }
    }

    @Test func `A post that waits for a late handler still gets its answer`() async throws {
        watch()
        let token = observe()
        async let answer = onOwnThread { [center] in
            try center.postAndWait(Number(value: 10), timeout: patience)
        }
        await until { mailbox.depth == 1 }
        mailbox.drain()
        _ = try await answer
        #expect(told.entries.contains { !$0.isStillRunning && $0.took == .seconds(10) })
        token.cancel()
    }
}

extension Converter {
    fileprivate struct Sent: NotificationMessage { var text = "" }
}

/// The only reference to an object.
private final class Box: @unchecked Sendable {
    // Sendable: used by one test, in one task.
    private var object: Converter?
    init(_ object: Converter) { self.object = object }
    var value: Converter? { object }
    func drop() { object = nil }
    func witness() -> Witness { Witness(object) }
}

/// Tells whether an object is alive, without keeping it.
private final class Witness {
    private weak var object: Converter?
    init(_ object: Converter?) { self.object = object }
    var isAlive: Bool { object != nil }
}
