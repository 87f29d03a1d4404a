// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardCore

private final class Window: Sendable {
    private let tokens = Guarded<[ObservationToken]>([])
    func hear(_ ping: Ping) {}
    func listen(to center: MessageCenter) {
        let token = center.observe(Ping.self, options: .owned(by: self)) { _ in }
        tokens.withLock { $0.append(token) }
    }
}

private actor Store {}

@Suite("Findings of a snapshot") struct FindingTests {
    private let center = MessageCenter()

    private var findings: [CenterFinding] { center.snapshot().findings }
    private var kinds: [CenterFinding.Kind] { findings.map(\.kind) }

    @Test func `An owner that died is named with the line of the registration`() throws {
        let window = Box(Window())
        let line = #line + 1
        let token = center.observe(Ping.self, options: .owned(by: window.value)) { _ in }
        #expect(kinds == [])
        window.drop()
        let finding = try #require(findings.first)
        #expect(kinds == [.ownerDied])
        #expect(finding.origins.map(\.line) == [line])
        #expect(finding.registrations == center.snapshot().entries.map(\.sequence))
        #expect(finding.description.hasPrefix("the Window that owns a closure for "))
        #expect(finding.description.contains("FindingTests.swift:\(line), has died"))
        token.cancel()
        #expect(kinds == [])
    }

    @Test func `An observed object that died is named, but not with an observer that died`() {
        let (item, window) = (Box(Item()), Box(Window()))
        let token = center.observe(Ping.self, of: item.value) { _ in }
        center.observe(Ping.self, of: item.value, with: window.value, Window.hear)
        #expect(kinds == [])
        window.drop()
        item.drop()
        #expect(kinds == [.objectDied])
        token.cancel()
        #expect(kinds == [])
    }

    @Test func `An owner that registers again while the earlier observation lives has twins`()
        throws
    {
        let window = Window()
        window.listen(to: center)
        #expect(kinds == [])
        window.listen(to: center)
        window.listen(to: center)
        let finding = try #require(findings.first)
        #expect(kinds == [.twins])
        #expect(finding.registrations.count == 3)
        #expect(finding.origins.count == 1)
        #expect(finding.description.hasPrefix("one Window has registered a closure 3 times for "))
    }

    @Test func `Fourteen windows that each register once are no twins`() {
        let windows = (0..<14).map { _ in Window() }
        for window in windows { window.listen(to: center) }
        #expect(kinds == [])
        for window in windows {
            center.observe(Ping.self, with: window, Window.hear)
        }
        #expect(kinds == [])
        withExtendedLifetime(windows) {}
    }

    @Test func `A method that one line registers twice for one object is a twin`() throws {
        let window = Window()
        for _ in 0..<2 { center.observe(Ping.self, with: window, Window.hear) }
        #expect(kinds == [.twins])
        #expect(
            try #require(findings.first).description
                .hasPrefix("one object has registered a method of Window 2 times for "))
    }

    @Test func `One line that registers for several things has no twins`() {
        let items = (0..<3).map { _ in Item() }
        let boxes = (0..<2).map { _ in DeliveryMailbox(target: HandDrained()) }
        var tokens: [ObservationToken] = []
        for item in items { tokens.append(center.observe(Ping.self, of: item) { _ in }) }
        for box in boxes { tokens.append(center.observe(Ping.self, on: .mailbox(box)) { _ in }) }
        #expect(kinds == [])
        withExtendedLifetime((tokens, items)) {}
    }

    @Test func `Closures of one line without owners may be twins, and the finding says so`() throws
    {
        let tokens = (0..<2).map { _ in center.observe(Ping.self) { _ in } }
        #expect(kinds == [.possibleTwins])
        #expect(try #require(findings.first).description.contains("options: .owned(by: …)"))
        tokens[0].cancel()
        #expect(kinds == [])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Code isolated to one actor may work for many objects`() {
        let store = Store()
        let tokens = (0..<2).map { _ in center.observe(Ping.self, on: store) { (_, _) in } }
        #expect(kinds == [.possibleTwins])
        withExtendedLifetime(tokens) {}
    }

    @Test
    func `Members of a group, and observers with conditions, share posts out and are no twins`() {
        let window = Window()
        let tokens = (0..<2).flatMap { half in
            [
                center.observe(Ping.self, options: .owned(by: window).inGroup("g")) { _ in },
                center.observe(
                    Ping.self,
                    options: .owned(by: window).where { (ping: Ping) in ping.number % 2 == half }
                ) { _ in },
            ]
        }
        #expect(kinds == [])
        withExtendedLifetime(tokens) {}
    }

    @Test func `Streams of one line are several readers, and no twins`() {
        let streams = (0..<3).map { _ in center.stream(Ping.self) }
        #expect(center.snapshot().entries.count == 3)
        #expect(kinds == [])
        withExtendedLifetime(streams) {}
    }

    @Test
    func `A sequence without a limit whose consumer does not ask is named, and its backlog seen`()
        throws
    {
        let stream = center.stream(Ping.self, buffering: .unbounded)
        let short = center.stream(Ping.self, buffering: .dropOldest(above: 10))
        for _ in 0..<99_999 { center.post(Ping()) }
        #expect(center.snapshot().entries.map(\.queueDepth) == [99_999, 10])
        #expect(kinds == [.loss])
        center.post(Ping())
        #expect(kinds == [.contextFull, .loss])
        #expect(
            try #require(findings.first).description
                .hasPrefix("100000 elements wait for the consumer of a stream for "))
        withExtendedLifetime((stream, short)) {}
        let long = MessageCenter()
        let limited = long.stream(Ping.self, buffering: .dropOldest(above: 200_000))
        for _ in 0..<100_000 { long.post(Ping()) }
        #expect(long.snapshot().findings.isEmpty)
        withExtendedLifetime(limited) {}
    }

    @Test func `A context that has ended is named once, with the lines that observe there`() throws
    {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.observe(Ping.self, on: .mailbox(mailbox)) { _ in },
            center.observe(Tick.self, on: .mailbox(mailbox)) { _ in },
            center.observe(Ping.self) { _ in },
        ]
        #expect(kinds == [])
        mailbox.close()
        let finding = try #require(findings.first)
        #expect(kinds == [.contextEnded])
        #expect(finding.origins.count == 2)
        #expect(finding.description.hasPrefix("hand has ended, and 2 handlers, registered at "))
        withExtendedLifetime(tokens) {}
    }

    @Test func `A context is full at its high-water mark, and not before`() throws {
        let mailbox = DeliveryMailbox(target: HandDrained(), highWaterMark: 3)
        center.onProblem { _ in }
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        for _ in 0..<2 { center.post(Ping()) }
        #expect(kinds == [])
        center.post(Ping())
        #expect(kinds == [.contextFull])
        #expect(try #require(findings.first).description.hasPrefix("3 deliveries wait for hand"))
        mailbox.drain()
        #expect(kinds == [])
        token.cancel()
    }

    @Test func `A context is full when its bound is reached`() {
        let mailbox = DeliveryMailbox(target: HandDrained(), bound: .refuse(above: 2))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        center.post(Ping())
        #expect(kinds == [])
        center.post(Ping())
        #expect(kinds == [.contextFull])
        token.cancel()
    }

    @Test func `A loss is named, and a replacement per key is none`() throws {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let tokens = [
            center.observe(
                Ping.self, on: .mailbox(mailbox), options: .bounded(.dropOldest(above: 1))
            ) { _ in },
            center.observe(
                Ping.self, on: .mailbox(mailbox),
                options: .bounded(.keepLatest(above: 9, per: { (ping: Ping) in ping.number }))
            ) { _ in },
        ]
        center.post(Ping())
        #expect(kinds == [])
        for _ in 0..<2 { center.post(Ping()) }
        #expect(kinds == [.loss])
        #expect(
            try #require(findings.first).description
                .hasPrefix("2 deliveries were lost or refused so far for a closure"))
        let entries = center.snapshot().entries
        #expect(entries.map(\.lost) == [2, 0])
        #expect(entries.map(\.replaced) == [0, 2])
        #expect(entries.last?.description.hasSuffix(", 2 replaced") == true)
        withExtendedLifetime(tokens) {}
    }

    @Test func `A delivery that was dropped for another key is a loss`() throws {
        let mailbox = DeliveryMailbox(target: HandDrained())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .bounded(.keepLatest(above: 2, per: { (ping: Ping) in ping.number }))
        ) { _ in }
        for number in [0, 1, 1, 2] { center.post(Ping(number: number)) }
        let entry = try #require(center.snapshot().entries.first)
        #expect(entry.lost == 1)
        #expect(entry.replaced == 1)
        #expect(kinds == [.loss])
        let text = try #require(findings.first).description
        #expect(text.hasPrefix("1 delivery was lost or refused so far for a closure"))
        #expect(text.contains("its bound drops the oldest above 2 keys, as was asked for: raise"))
        token.cancel()
    }

    @Test func `A context that keeps one delivery is not full with it`() {
        let mailbox = DeliveryMailbox(target: HandDrained(), bound: .refuse(above: 1))
        let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
        center.post(Ping())
        #expect(mailbox.depth == 1)
        #expect(kinds == [])
        token.cancel()
    }

    @Test func `A loss is named with the rule that was asked for, and with a remedy`() throws {
        let mailbox = DeliveryMailbox(target: HandDrained())
        for (bound, words) in [
            (
                DeliveryBound.dropOldest(above: 1),
                "drops the oldest above 1, as was asked for: raise"
            ),
            (.dropNewest(above: 1), "drops the newest above 1, as was asked for: raise"),
            (.refuse(above: 1), "refuses more than 1, as was asked for: post with postWhenRoom"),
            (
                .wait(above: 1),
                "refuses more than 1 to posts that do not wait, as was asked for: post"
            ),
        ] {
            let token = center.observe(
                Ping.self, on: .mailbox(mailbox), options: .bounded(bound)
            ) { _ in }
            for _ in 0..<2 { center.post(Ping()) }
            #expect(try #require(findings.first).description.contains("its bound \(words)"))
            token.cancel()
        }
        let stream = center.stream(Ping.self, buffering: .dropOldest(above: 1))
        for _ in 0..<2 { center.post(Ping()) }
        #expect(try #require(findings.first).description.contains("the limit of its stream"))
        withExtendedLifetime(stream) {}
    }
}
