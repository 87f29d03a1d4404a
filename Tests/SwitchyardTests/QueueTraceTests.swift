// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

/// The traces of posts that wait in a queue.
@Suite("Traces of queues", .decidesSampling, .timeLimit(.minutes(5))) struct QueueTraceTests {
    /// The events of each post of a name that `body` makes through a queue, whose thread's loop
    /// runs after that.
    private func events(
        of name: Notification.Name,
        _ body: @escaping @Sendable (NotificationQueue, Notification) -> Void
    ) async -> [[TraceEvent]] {
        let center = NotificationCenter()
        let token = center.observe(name, on: .poster) { _ in }
        defer { token.cancel() }
        return await tracedPosts(named: name.rawValue) {
            onThread {
                body(NotificationQueue(notificationCenter: center), Notification(name: name))
                runLoop()
            }
        } until: {
        }
    }

    @Test func `A post that is coalesced with one that waits is traced, with its call site`()
        async
    {
        let posts = await events(of: Notification.Name("QueueTraceTests.latest")) {
            for _ in 0..<3 { $0.enqueue($1, postingStyle: .asap) }
        }
        #expect(posts.map { $0.map(\.kind) } == [[.coalesced], [.coalesced], [.posted, .called]])
        let coalesced = posts.prefix(2).joined()
        #expect(coalesced.allSatisfy { $0.weight == 1 && $0.detail > 0 })
        #expect(Set(coalesced.map(\.post)).count == 2)
    }

    @Test func `So is a post in whose place the first one stays`() async {
        let posts = await events(of: Notification.Name("QueueTraceTests.first")) {
            for _ in 0..<3 { $0.enqueue($1, postingStyle: .asap, keeping: .first) }
        }
        #expect(posts.map { $0.map(\.kind) } == [[.coalesced], [.coalesced], [.posted, .called]])
    }

    @Test func `A post made at once for one that waited is traced as both`() async {
        let posts = await events(of: Notification.Name("QueueTraceTests.now")) {
            $0.enqueue($1, postingStyle: .whenIdle)
            $0.enqueue($1, postingStyle: .now)
        }
        #expect(posts.map { $0.map(\.kind) } == [[.coalesced], [.posted, .called]])
    }

    @Test func `Inside of a traced post, each is traced, and says so`() async {
        let name = Notification.Name("QueueTraceTests.inside")
        let outer = Notification.Name("QueueTraceTests.outside")
        let center = NotificationCenter()
        let token = center.observe(outer, on: .poster) { _ in
            let queue = NotificationQueue(notificationCenter: center)
            for _ in 0..<2 { queue.enqueue(Notification(name: name), postingStyle: .whenIdle) }
        }
        let posts = await tracedPosts(named: name.rawValue) {
            onThread { center.post(name: outer, object: nil) }
        } until: {
        }
        #expect(posts.map { $0.map(\.kind) } == [[.coalesced, .within]])
        #expect(posts.first?.first?.weight == 1)
        token.cancel()
    }

    @Test func `One in so many is traced, and stands for the others`() async {
        let name = Notification.Name("QueueTraceTests.sampled")
        let posts = await tracedPosts(named: name.rawValue, oneIn: 4) {
            onThread {
                let queue = NotificationQueue(notificationCenter: NotificationCenter())
                let notification = Notification(name: name)
                for _ in 0..<41 { queue.enqueue(notification, postingStyle: .whenIdle) }
            }
        } until: {
        }
        let coalesced = posts.joined().filter { $0.kind == .coalesced }
        #expect(coalesced.count == 10)
        #expect(coalesced.first.map { (1...4).contains($0.weight) } == true)
        #expect(coalesced.dropFirst().allSatisfy { $0.weight == 4 })
    }

    @Test func `Posts that are not coalesced, or are taken out, are not traced as coalesced`() async
    {
        let posts = await events(of: Notification.Name("QueueTraceTests.none")) {
            for _ in 0..<2 {
                $0.enqueue($1, postingStyle: .asap, coalesceMask: .none, forModes: nil)
            }
            $0.dequeueNotifications(matching: $1, coalesceMask: [.onName, .onSender])
            $0.enqueue($1, postingStyle: .asap)
        }
        #expect(posts.map { $0.map(\.kind) } == [[.posted, .called]])
    }
}
