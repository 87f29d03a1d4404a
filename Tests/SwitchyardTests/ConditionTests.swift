// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import TestSupport
import Testing

@Suite("Conditions on notifications", .timeLimit(.minutes(5))) struct ConditionTests {
    private typealias Center = Switchyard.NotificationCenter

    private struct Added: Center.AsyncMessage {
        typealias Subject = NSObject
        static let name = Notification.Name("added")
        var format: String

        static func makeMessage(_ notification: Notification) -> Added? {
            (notification.userInfo?["format"] as? String).map { Added(format: $0) }
        }

        static func makeNotification(_ message: Added) -> Notification {
            Notification(name: name, userInfo: ["format": message.format])
        }
    }

    private final class Observer: Sendable {
        let log = Log<String>()
        func changed(_ notification: Notification) {
            log.add(notification.userInfo?["format"] as? String ?? "")
        }
    }

    private let center = Center()

    @Test(.rule(41)) func `A condition on the notification serves closures and methods`() {
        let (log, observer) = (Log<String>(), Observer())
        let options = ObservationOptions.where { (notification: Notification) in
            notification.userInfo?["format"] as? String != "raw"
        }
        let tokens = [
            center.observe(Added.name, on: .poster, options: options) {
                log.add($0.userInfo?["format"] as? String ?? "")
            },
            center.observe(
                Added.name, with: observer, Observer.changed, on: .poster, options: options),
        ]
        for format in ["raw", "png"] {
            center.post(name: Added.name, object: nil, userInfo: ["format": format])
        }
        center.post(Added(format: "raw"))
        center.post(Added(format: "jpeg"))
        #expect(log.entries == ["png", "jpeg"] && observer.log.entries == log.entries)
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(41)) func `A condition on a message sees it, whether it was posted as one or not`()
    {
        let log = Log<String>()
        let token = center.observe(
            Added.self, on: .poster, options: .where { (added: Added) in added.format != "raw" }
        ) { log.add($0.format) }
        for format in ["raw", "png"] {
            center.post(name: Added.name, object: nil, userInfo: ["format": format])
            center.post(Added(format: format))
        }
        #expect(log.entries == ["png", "png"])
        token.cancel()
    }

    @Test(.rule(41)) func `A notification that is no message is reported, not filtered`() {
        let problems = Log<DeliveryProblem.Kind>()
        center.onProblem { problems.add($0.kind) }
        let token = center.observe(
            Added.self, on: .poster, options: .where { (_: Added) in false }
        ) { _ in }
        center.post(name: Added.name, object: nil)
        #expect(problems.entries == [.notConvertible])
        token.cancel()
    }
}
