// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Logging
import Foundation
import InMemoryLogging
import Logging
import SwitchyardCore
import SwitchyardLogging
import SwitchyardTesting
import TestSupport
import Testing

private struct Ping: NotificationMessage { var secret = "swordfish" }

private struct Bad: Error {}

@Suite("Problems in the log") struct ProblemLogTests {
    private let center = MessageCenter()
    private let handler = InMemoryLogHandler()

    private func logger(_ level: Logger.Level = .info) -> Logger {
        var logger = Logger(label: "test") { [handler] _ in handler }
        logger.logLevel = level
        return logger
    }

    private var only: InMemoryLogHandler.Entry {
        get throws {
            let entries = handler.entries
            return try #require(entries.count == 1 ? entries.first : nil, "\(entries)")
        }
    }

    @Test(.rule(31)) func `A handler that throws is an error with its place`() throws {
        center.logProblems(to: logger())
        let token = center.observe(Ping.self, fileID: "Folio/Index.swift", line: 7) { _ in
            throw Bad()
        }
        center.post(Ping())
        let entry = try only
        #expect(entry.level == .error)
        #expect(entry.message == "handler threw")
        #expect(entry.error is Bad)
        #expect(entry.metadata["origin"] == "Folio/Index.swift:7")
        #expect(entry.metadata["context"] == "the posting thread")
        #expect("\(entry.metadata["topic"] ?? "")".hasSuffix("Ping"))
        token.cancel()
    }

    @Test(.rule(29)) func `Deliveries that are not made are one warning with their number`() throws
    {
        center.logProblems(to: logger())
        let mailbox = ManualMailbox(label: "indexer")
        let token = center.observe(Ping.self, on: mailbox.context) { _ in }
        for _ in 0..<3 { center.post(Ping()) }
        mailbox.close()
        let entry = try only
        #expect(entry.level == .warning)
        #expect(entry.message == "deliveries were not made")
        #expect(entry.metadata["count"] == "3")
        #expect(entry.metadata["context"] == "indexer")
        token.cancel()
    }

    @Test(.rule(28)) func `A mailbox that fills up is a notice`() throws {
        center.logProblems(to: logger())
        let mailbox = ManualMailbox(label: "indexer", highWaterMark: 2)
        let token = center.observe(Ping.self, on: mailbox.context, options: .queued) { _ in }
        while handler.entries.isEmpty, mailbox.depth < 100 { center.post(Ping()) }
        let entry = try only
        #expect(entry.level == .notice)
        #expect(entry.message == "deliveries pile up")
        #expect(entry.metadata["count"] == "\(mailbox.depth)")
        #expect(entry.metadata["origin"] != nil)
        token.cancel()
    }

    @Test(.rule(32))
    func `A post that nobody observes is a debug message, if the level asks for it`() throws {
        center.logProblems(to: logger(.info))
        center.post(Ping())
        #expect(handler.entries == [])
        center.logProblems(to: logger(.debug))
        center.post(Ping())
        let entry = try only
        #expect(entry.level == .debug)
        #expect("\(entry.metadata["topic"] ?? "")".hasSuffix("Ping"))
    }

    @Test func `A delivery that waited too long is a warning`() throws {
        let (mailbox, clock) = (ManualMailbox(label: "indexer"), ManualClock())
        center.logLateDeliveries(
            to: logger(), after: .seconds(1), on: mailbox.context, clock: clock)
        let token = center.observe(Ping.self, on: mailbox.context) { _ in }
        center.post(Ping())
        clock.advance(by: .seconds(2))
        mailbox.drain()
        let entry = try only
        #expect(entry.level == .warning)
        #expect(entry.message == "delivery is late")
        #expect(entry.metadata["waited"] == "2.0 seconds")
        #expect(entry.metadata["context"] == "indexer")
        token.cancel()
        center.onLate(after: .seconds(1), on: mailbox.context, clock: clock, nil)
    }

    @Test func `The hook is still called`() {
        let told = Log<DeliveryProblem.Kind>()
        center.onProblem { told.add($0.kind) }
        center.logProblems(to: logger())
        let token = center.observe(Ping.self) { _ in throw Bad() }
        center.post(Ping())
        #expect(told.entries == [.handlerThrew])
        #expect(handler.entries.count == 1)
        token.cancel()
    }

    @Test func `What is logged needs no line on standard error`() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let center = MessageCenter()
            let logger = Logger(label: "test") { _ in InMemoryLogHandler() }
            let log = center.logProblems(to: logger)
            let token = center.observe(Ping.self, fileID: "Folio/Index.swift", line: 7) { _ in
                throw Bad()
            }
            center.post(Ping())
            log.cancel()
            center.post(Ping())
            token.cancel()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        // The second post's, after the log has ended.
        #expect(text.components(separatedBy: "threw").count == 2, "\(text)")
    }

    @Test func `A log that was cancelled gets nothing more, and others go on`() {
        let first = center.logProblems(to: logger())
        center.logProblems(to: logger())
        let token = center.observe(Ping.self) { _ in throw Bad() }
        center.post(Ping())
        #expect(handler.entries.count == 2)
        first.cancel()
        first.cancel()
        center.post(Ping())
        #expect(handler.entries.count == 3)
        token.cancel()
    }

    @Test func `A log that fails is not told of what it did itself`() {
        var logger = Logger(label: "test") { [center] _ in PostingLogHandler(center: center) }
        logger.logLevel = .debug
        center.logProblems(to: logger)
        let calls = Log<Int>()
        let token = center.observe(Ping.self) { _ in
            calls.add(1)
            throw Bad()
        }
        center.post(Ping())
        #expect(calls.entries.count == 2)
        token.cancel()
    }
}

/// A log handler that posts, as one may that writes to a place where notifications are posted.
private struct PostingLogHandler: LogHandler {
    let center: MessageCenter
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { center.post(Ping()) }
}
#endif
