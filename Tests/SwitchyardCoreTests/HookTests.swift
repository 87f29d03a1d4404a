// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardCore

private struct Bad: Error {}
private struct Audit: NotificationMessage {}

@Suite("Hooks of centers") struct HookTests {
    private let center = MessageCenter()

    @Test(.rule(31)) func `A problem hook is not entered by its own actions`() {
        let (center, problems) = (center, Counter())
        center.onProblem { _ in
            problems.add()
            center.post(Ping())
        }
        let token = center.observe(Ping.self) { _ in throw Bad() }
        center.post(Ping())
        #expect(problems.value == 1)
        // The next problem is reported again.
        center.post(Ping())
        #expect(problems.value == 2)
        token.cancel()
    }

    @Test(.rule(31)) func `A problem with a delivery that a hook has queued is reported to it`() {
        let (center, mailbox) = (center, DeliveryMailbox(target: HandDrained()))
        let topics = Log<String?>()
        center.onProblem { problem in
            topics.add(problem.topic)
            // A problem with the posts of the hook is not posted about: that would go on for ever.
            if problem.topic?.hasSuffix("Audit") != true { center.post(Audit()) }
        }
        let tokens = [
            center.observe(Ping.self) { _ in throw Bad() },
            center.observe(Audit.self, on: .mailbox(mailbox)) { _ in throw Bad() },
        ]
        center.post(Ping())
        #expect(topics.entries.count == 1)
        for _ in 0..<2 { mailbox.drain() }
        #expect(topics.entries.count == 2)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(31))
    func `A problem caused by one center's hook is reported to another center's hook`() {
        let (center, other, told) = (center, MessageCenter(), Log<String>())
        center.onProblem { _ in
            told.add("ours")
            other.post(Ping())
        }
        other.onProblem { _ in told.add("other") }
        let tokens = [
            center.observe(Ping.self) { _ in throw Bad() },
            other.observe(Ping.self) { _ in throw Bad() },
        ]
        center.post(Ping())
        #expect(told.entries == ["ours", "other"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(32)) func `A dead-letter hook silences no other center's`() {
        let (center, other, told) = (center, MessageCenter(), Log<String>())
        center.onDeadLetter { _ in
            told.add("ours")
            other.post(Audit())
            center.post(Audit())
        }
        other.onDeadLetter { _ in told.add("other") }
        center.post(Ping())
        #expect(told.entries == ["ours", "other"])
    }

    @Test(.rule(29)) func `A hook hears of a mailbox's end before a waiter may drop its center`() {
        for _ in 0..<200 {
            let (mailbox, told) = (DeliveryMailbox(target: HandDrained()), Counter())
            onThreads(2) { index in
                if index == 1 {
                    while mailbox.depth == 0 {}
                    return mailbox.close()
                }
                let center = MessageCenter()
                center.onProblem { _ in told.add() }
                let token = center.observe(Ping.self, on: .mailbox(mailbox)) { _ in }
                _ = try? center.postAndWait(Ping(), timeout: .seconds(240))
                token.cancel()
            }
            #expect(told.value == 1)
        }
    }

    @Test(.rule(29)) func `An ending mailbox reports nothing of observations that had ended`() {
        let (mailbox, told) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        center.onProblem { told.add($0.count) }
        let tokens = (0..<3).map { _ in center.observe(Ping.self, on: .mailbox(mailbox)) { _ in } }
        center.post(Ping())
        tokens[0].cancel()
        tokens[1].cancel()
        mailbox.close()
        #expect(told.entries == [1])
        withExtendedLifetime(tokens) {}
    }

    @Test func `A problem is one line on standard error, whatever text it has`() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            struct Colourful: Error, CustomStringConvertible {
                var description: String { "\u{1B}[31mred\nnext" }
            }
            let center = MessageCenter()
            let token = center.observe(Ping.self) { _ in throw Colourful() }
            center.post(Ping())
            token.cancel()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("threw: \\u001b[31mred\\nnext") })
    }
}
