// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import TestSupport
import Testing

@Suite("The latest notification, for observers that come late", .timeLimit(.minutes(5)))
struct NamedLatestTests {
    private typealias Center = Switchyard.NotificationCenter

    private struct Added: Center.AsyncMessage {
        typealias Subject = NSObject
        static let name = Notification.Name("latest.added")
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
        func changed(_ notification: Notification) { log.add(notification.format) }
    }

    private let center = Center()

    @Test(.rule(43)) func `Closures, methods and observers of any name hear the latest`() {
        let (log, observer) = (Log<String>(), Observer())
        center.post(name: Added.name, userInfo: ["format": "RTF"], retaining: .latest)
        center.post(name: Notification.Name("other"), userInfo: ["format": "-"], retaining: .latest)
        let tokens = [
            center.observe(Added.name, options: .replayingLatest) { log.add($0.format) },
            center.observe(
                Added.name, with: observer, Observer.changed, options: .replayingLatest),
            center.observe(nil, options: .replayingLatest) { log.add($0.format) },
        ]
        #expect(log.entries == ["RTF", "RTF", "-"] && observer.log.entries == ["RTF"])
        #expect(center.latest(Added.name)?.format == "RTF")
        #expect(
            center.removeLatest(Added.name)?.format == "RTF" && center.latest(Added.name) == nil)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43)) func `A notification comes with its object, and does not keep it`() {
        let log = Log<String>()
        var object: NSObject? = NSObject()
        weak let witness = object
        let other = NSObject()
        center.post(
            name: Added.name, object: object, userInfo: ["format": "RTF"], retaining: .latest)
        center.post(
            name: Added.name, object: "text", userInfo: ["format": "HTML"], retaining: .latest)
        let handler: @Sendable (Notification) -> Void = { notification in
            log.add("\(notification.format) \(notification.object is NSObject)")
        }
        let token = center.observe(
            Added.name, of: object, options: .replayingLatest, using: handler)
        #expect(log.entries == ["RTF true"])
        #expect(center.latest(Added.name, of: object)?.object as? NSObject === object)
        #expect(center.latest(Added.name, of: "text")?.object as? String == "text")
        #expect(center.latest(Added.name, of: other) == nil && center.latest(Added.name) == nil)
        token.cancel()
        object = nil
        #expect(witness == nil)
        let late = center.observe(Added.name, options: .replayingLatest) { log.add($0.format) }
        #expect(log.entries == ["RTF true", "HTML"])
        late.cancel()
    }

    @Test(.rule(43)) func `A message and a notification of its name are one value`() async {
        let log = Log<String>()
        let subject = NSObject()
        let identity = ObjectIdentifier(subject)
        center.post(Added(format: "RTF"), subject: subject, retaining: .latest)
        #expect(center.latest(Added.name, of: subject)?.format == "RTF")
        #expect(center.latest(Added.self, of: subject)?.format == "RTF")
        let tokens = [
            center.observe(Added.name, of: subject, options: .replayingLatest) { notification in
                log.add(
                    "\(notification.format) \((notification.object as? NSObject).map(ObjectIdentifier.init) == identity)"
                )
            },
            center.observe(Added.self, options: .replayingLatest) { log.add($0.format) },
        ]
        #expect(log.entries == ["RTF true", "RTF"])
        center.post(
            name: Added.name, object: subject, userInfo: ["format": "HTML"], retaining: .latest)
        #expect(center.latest(Added.self, of: subject)?.format == "HTML")
        #expect(center.removeLatest(Added.self, of: subject)?.format == "HTML")
        #expect(center.latest(Added.name, of: subject) == nil)
        for token in tokens { token.cancel() }
    }

    @Test(.rule(43)) func `A center that posts to Foundation too does so with what it keeps`() {
        let (log, name) = (Log<String>(), Notification.Name("latest.bridged"))
        center.postsToFoundation = true
        let foundation = Foundation.NotificationCenter.default.addObserver(
            forName: name, object: nil, queue: nil
        ) { log.add("Foundation \($0.format)") }
        let early = center.observe(name, on: .poster) { log.add("early \($0.format)") }
        center.post(name: name, userInfo: ["format": "RTF"], retaining: .latest)
        let late = center.observe(name, on: .poster, options: .replayingLatest) {
            log.add("late \($0.format)")
        }
        #expect(log.entries == ["early RTF", "Foundation RTF", "late RTF"])
        center.removeLatest(name)
        for token in [early, late] { token.cancel() }
        Foundation.NotificationCenter.default.removeObserver(foundation)
    }

    @Test(.rule(43)) func `An observer on a queue hears the latest there`() async {
        let (queue, log) = (OperationQueue(), Log<Bool>())
        center.post(name: Added.name, retaining: .latest)
        let token = center.observe(
            Added.name, on: .operationQueue(queue), options: .replayingLatest
        ) { _ in
            log.add(OperationQueue.current === queue)
        }
        #expect(await log.arrival(of: 1) == [true])
        token.cancel()
    }
}

extension Notification {
    fileprivate var format: String { userInfo?["format"] as? String ?? "" }
}
