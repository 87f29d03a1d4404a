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

extension NamedLatestTests {
    @Test(.rule(12, 43)) func `A post that waits keeps its notification`() async throws {
        let log = Log<String>()
        let token = center.observe(Added.name, options: .queued) { log.add($0.format) }
        _ = try await onOwnThread { [center] in
            try center.postAndWait(
                name: Added.name, object: nil, userInfo: ["format": "RTF"], retaining: .latest,
                timeout: .seconds(240))
        }
        #expect(log.entries == ["RTF"] && center.latest(Added.self)?.format == "RTF")
        try await center.postAndWait(Added(format: "HTML"), retaining: .latest)
        #expect(center.latest(Added.name)?.format == "HTML")
        try await center.postAndWait(
            name: Added.name, object: nil, userInfo: ["format": "text"], retaining: .latest)
        try await center.postWhenRoom(Notification(name: Added.name), retaining: .latest)
        #expect(log.entries == ["RTF", "HTML", "text", ""] && center.latest(Added.name) != nil)
        #expect(center.latest(Added.self) == nil)
        token.cancel()
    }

    @Test(.rule(30, 41, 43)) func `Sequences take conditions, the latest, and end with the first`()
        async
    {
        let subject = NSObject()
        func hears(_ format: String) -> Bool { format != "raw" }
        center.post(Added(format: "RTF"), subject: subject, retaining: .latest)
        let condition = ObservationOptions.where { (added: Added) in added.format != "raw" }
        let ofNotifications = ObservationOptions.where { (notification: Notification) in
            notification.format != "raw"
        }
        var messages = center.messages(
            of: subject, for: Added.self, options: condition.replayingLatest
        ).makeAsyncIterator()
        var notifications = center.notifications(
            named: Added.name, options: ofNotifications.replayingLatest
        ).makeAsyncIterator()
        var first = center.notifications(
            matching: "latest.*", options: ofNotifications.once
        ).makeAsyncIterator()
        for format in ["raw", "HTML", "raw", "text"] {
            center.post(Added(format: format), subject: subject)
        }
        var heard: [String?] = []
        for _ in 1...3 { heard.append(await messages.next(isolation: #isolation)?.format) }
        for _ in 1...3 { heard.append(await notifications.next()?.format) }
        for _ in 1...2 { heard.append(await first.next()?.format) }
        #expect(heard == ["RTF", "HTML", "text", "RTF", "HTML", "text", "HTML", nil])
    }

    @Test(.rule(25, 43)) func `A queue's center keeps a notification from when it is posted`() {
        onThread { [center] in
            let queue = Queue(notificationCenter: center)
            let log = Log<String>()
            let token = center.observe(Added.name) { log.add($0.format) }
            for (format, style) in [("RTF", Queue.PostingStyle.whenIdle), ("HTML", .asap)] {
                queue.enqueue(
                    Notification(name: Added.name, userInfo: ["format": format]),
                    postingStyle: style, retaining: .latest)
            }
            #expect(center.latest(Added.name) == nil)
            runLoop()
            #expect(log.entries == ["HTML"] && center.latest(Added.name)?.format == "HTML")
            queue.enqueue(
                Notification(name: Added.name, userInfo: ["format": "text"]),
                postingStyle: .now, retaining: .latest)
            #expect(center.latest(Added.self)?.format == "text")
            token.cancel()
        }
    }

    @Test(.rule(26, 43)) func `Of posts that coalesce, the one that is made is kept, or not`() {
        onThread { [center] in
            let queue = Queue(notificationCenter: center)
            let subject = NSObject()
            queue.enqueue(Added(format: "RTF"), postingStyle: .asap, retaining: .latest)
            queue.enqueue(Added(format: "HTML"), postingStyle: .asap)
            runLoop()
            #expect(center.latest(Added.name) == nil)
            queue.enqueue(Added(format: "RTF"), postingStyle: .asap, retaining: .latest)
            queue.enqueue(
                Notification(name: Added.name, userInfo: ["format": "HTML"]), postingStyle: .asap,
                keeping: .first)
            queue.enqueue(
                Notification(name: Added.name, object: subject, userInfo: ["format": "text"]),
                postingStyle: .whenIdle, retaining: .latest)
            runLoop()
            #expect(center.latest(Added.name)?.format == "RTF")
            #expect(center.latest(Added.self, of: subject)?.format == "text")
        }
    }
}
