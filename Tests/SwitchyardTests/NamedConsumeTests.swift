// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import TestSupport
import Testing

@Suite("Handlers that consume notifications", .timeLimit(.minutes(5))) struct NamedConsumeTests {
    private struct Added: Switchyard.NotificationCenter.AsyncMessage {
        typealias Subject = NSObject
        static let name = Notification.Name("consume.added")
        static func makeMessage(_ notification: Notification) -> Added? { Added() }
    }

    private let center = Switchyard.NotificationCenter()

    @Test(.rule(45)) func `A notification is consumed for observers of names and of any name`() {
        let log = Log<String>()
        let tokens = [
            center.observe(nil, on: .poster) { _ in log.add("before") },
            center.consume(Added.name) { _ in .consumed },
            center.observe(Added.name, on: .poster) { _ in log.add("behind") },
            center.observe(nil, on: .poster) { _ in log.add("behind") },
        ]
        let receipt = center.postAndReport(name: Added.name, object: NSObject())
        #expect(receipt.isConsumed && receipt.delivered == 2 && log.entries == ["before"])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45)) func `A message with a name is consumed under the name, and as its type`() {
        let log = Log<String>()
        let token = center.consume(Added.name) { _ in .consumed }
        let other = center.observe(Added.self, on: .poster) { _ in log.add("behind") }
        #expect(center.postAndReport(Added()).isConsumed)
        token.cancel()
        #expect(!center.postAndReport(Added()).isConsumed && log.entries == ["behind"])
        let first = center.consume(Added.self, priority: 1) { _ in .consumed }
        #expect(center.postAndReport(name: Added.name, object: nil).isConsumed)
        #expect(log.entries == ["behind"])
        for token in [other, first] { token.cancel() }
    }
}
