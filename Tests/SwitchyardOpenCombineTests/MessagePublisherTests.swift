// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if OpenCombine
import OpenCombine
import Switchyard
import SwitchyardDistributed
import SwitchyardDistributedTesting
import SwitchyardOpenCombine
import TestSupport
import Testing

import class Switchyard.NotificationCenter

private struct Saved: NotificationMessage {
    typealias Subject = Document
    var number: Int
}
private final class Document: Sendable {}
private struct Turned: NotificationMessage { var page: Int }
private struct Title: NotificationMessage { var text: String }
private struct Job: DistributedMessage, Equatable { var number: Int }

@Suite("Publishers of messages", .timeLimit(.minutes(5))) struct MessagePublisherTests {
    @Test func `Messages are published by every kind of center`() {
        func check(_ center: some MessageObserving, _ post: (Title) -> Void) {
            let log = Log<String>()
            let sink = center.publisher(for: Title.self, on: .poster).map(\.text).sink {
                log.add($0)
            }
            post(Title(text: "a"))
            #expect(log.entries == ["a"])
            sink.cancel()
            post(Title(text: "b"))
            #expect(log.entries == ["a"])
        }
        let (center, core) = (NotificationCenter(), MessageCenter())
        check(center) { center.post($0) }
        check(core) { core.post($0) }
    }

    @Test func `Messages about another subject are not published`() {
        let center = MessageCenter()
        let (document, other) = (Document(), Document())
        let one = ControlledSubscriber<Int>()
        let all = ControlledSubscriber<Int>(.max(1))
        center.publisher(for: Saved.self, of: document).map(\.number).subscribe(one)
        center.publisher(for: Saved.self).map(\.number).subscribe(all)
        center.post(Saved(number: 1), subject: other)
        center.post(Saved(number: 2), subject: document)
        center.post(Saved(number: 3))
        #expect(one.log.entries == [2])
        #expect(all.log.entries == [1])
    }

    @Test func `A subscriber hears the latest value first, if it asks for that`() {
        let center = NotificationCenter()
        let (all, first) = (Log<Int>(), Log<Int>())
        center.post(Turned(page: 1), retaining: .latest)
        let publisher = center.publisher(for: Turned.self, options: .replayingLatest)
        let sinks = [
            publisher.sink { all.add($0.page) }, publisher.first().sink { first.add($0.page) },
        ]
        center.post(Turned(page: 2))
        #expect(all.entries == [1, 2])
        #expect(first.entries == [1])
        for sink in sinks { sink.cancel() }
        #expect(center.snapshot().entries.isEmpty)
    }

    @Test func `Publishers are equal if center, subject and context are`() {
        let center = MessageCenter()
        let document = Document()
        let publisher = center.publisher(for: Saved.self, of: document)
        #expect(publisher == center.publisher(for: Saved.self, of: document))
        #expect(publisher != center.publisher(for: Saved.self, of: Document()))
        #expect(publisher != center.publisher(for: Saved.self, of: document, on: .main))
        #expect(publisher != MessageCenter().publisher(for: Saved.self, of: document))
    }

    @Test func `A publisher without a context has that of its center`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let name = Notification.Name("Saved")
        #expect(center.publisher(for: name) == center.publisher(for: name, on: .main))
        #expect(center.publisher(for: name) != center.publisher(for: name, on: .poster))
    }

    @Test func `The distributed center publishes what another process posts`() async throws {
        let network = InMemoryNetwork()
        let (near, far) = try (
            network.center(named: "near"), network.center(named: "far")
        )
        let (jobs, names) = (Log<Int>(), Log<String>())
        let first = near.publisher(for: Job.self).map(\.number).sink { jobs.add($0) }
        let second = near.publisher(for: Notification.Name("done"), object: "folio")
            .compactMap { $0.userInfo?["by"] as? String }
            .sink { names.add($0) }
        #expect(await near.waitUntilReady(within: .seconds(30)).isEmpty)
        try far.post(Job(number: 7))
        far.post(name: .init("done"), object: "other", userInfo: ["by": "nobody"])
        far.post(name: .init("done"), object: "folio", userInfo: ["by": "far"])
        #expect(await jobs.arrival(of: 1) == [7])
        #expect(await names.arrival(of: 1) == ["far"])
        first.cancel()
        second.cancel()
    }
}
#endif
