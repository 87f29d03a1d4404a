// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

/// The trace events of posts that go to other processes. Tracing concerns every center of the
/// process, so each test looks for the posts of its own name.
@Suite("Traces between processes", .serialized, .decidesSampling) struct TraceCrossingTests {
    private let name = Notification.Name(UUID().uuidString)
    /// Two members of one network: the first posts. Both live as long as the test: a center that
    /// nobody holds leaves the network.
    private let poster, hearer: DistributedNotificationCenter

    init() throws {
        let network = InMemoryNetwork()
        poster = try network.center(named: "poster")
        hearer = try network.center(named: "hearer")
    }

    /// The events of each post of the name, in their order, while one post in `interval` is traced.
    private func posts(
        oneIn interval: UInt32 = 1, during body: () -> Void
    ) async -> [[TraceEvent]] {
        await tracedPosts(named: name.rawValue, oneIn: interval, posting: body) {
            // Peers have taken in what came before a question when they answer it.
            for peer in poster.peers.map(\.peer) {
                #expect(await poster.ping(peer, within: .seconds(60)) != nil)
            }
        }
    }

    private func kinds(_ posts: [[TraceEvent]]) -> [[TraceEvent.Kind]] {
        posts.map { $0.map(\.kind) }
    }

    @Test func `A post and its arrival in another process have the same connection and number`()
        async throws
    {
        let token = hearer.observe(name, on: .poster) { _ in }
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        let posts = await posts {
            for _ in 0..<2 { poster.post(name: name, object: nil) }
        }
        let sent = posts.filter { $0.contains { $0.kind == .sent } }
        let received = posts.filter { $0.contains { $0.kind == .received } }
        #expect(kinds(sent) == [[.posted, .sent], [.posted, .sent]])
        #expect(
            kinds(received) == [[.posted, .received, .called], [.posted, .received, .called]])
        try #require(sent.count == 2 && received.count == 2)
        let passages = { (posts: [[TraceEvent]]) in posts.map { TracePassage($0[1]) } }
        #expect(passages(sent) == passages(received))
        #expect(Set(passages(sent)).count == 2)
        #expect(passages(sent)[0].process == getpid())
        #expect(sent[0][0].detail != 0 && received[0][0].detail == 0)
        token.cancel()
    }

    @Test
    func `A process traces the posts that their poster traces, and counts them for no other posts`()
        async throws
    {
        let token = hearer.observe(name, on: .poster) { _ in }
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        let posts = await posts(oneIn: 8) {
            for _ in 0..<64 { poster.post(name: name, object: nil) }
        }
        func passages(_ kind: TraceEvent.Kind) -> Set<TracePassage> {
            Set(posts.joined().filter { $0.kind == kind }.map { TracePassage($0) })
        }
        #expect(passages(.sent).count == 8)
        #expect(passages(.sent).isSubset(of: passages(.received)))
        let weights = posts.filter { $0.contains { $0.kind == .received } }.map { $0[0].weight }
        // The hearer traces one in eight posts by its own count, whatever the poster asked for. Its
        // first stands for those before it.
        let own = weights.filter { $0 > 0 }
        #expect((7...9).contains(own.count))
        #expect(own.dropFirst().allSatisfy { $0 == 8 })
        token.cancel()
    }

    @Test func `A post that observers here hear as well is one post`() async throws {
        let inner = Notification.Name(UUID().uuidString)
        let tokens = [
            poster.observe(name, on: .poster) { _ in poster.post(name: inner, object: nil) },
            hearer.observe(name, on: .poster) { _ in },
        ]
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        let posts = await posts { poster.post(name: name, object: nil) }
        #expect(
            kinds(posts).sorted { $0.count > $1.count }.first { $0.contains(.sent) }
                == [.posted, .sent, .called])
        #expect(posts.count == 2)
        for token in tokens { token.cancel() }
    }

    @Test func `A post is unheard if no process hears it, and not if another one does`()
        async throws
    {
        #expect(
            kinds(await posts { poster.post(name: name, object: nil) })
                == [[.posted, .unheard]])
        let token = hearer.observe(name, on: .poster) { _ in }
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        let posts = await posts { poster.post(name: name, object: nil) }
        #expect(!kinds(posts).joined().contains(.unheard))
        token.cancel()
    }

    @Test func `A post that a transport of one's own takes is not unheard`() async throws {
        let transport = HandCarriedTransport("own")
        let center = try DistributedNotificationCenter(transport: transport)
        func post() { center.post(name: name, object: nil) }
        #expect(kinds(await posts(during: post)) == [[.posted]])
        let token = center.observe(name, on: .poster) { _ in }
        #expect(kinds(await posts(during: post)) == [[.posted, .called]])
        token.cancel()
    }

    @Test func `A post that is held while its center is suspended is not unheard`() async throws {
        let token = poster.observe(name, on: .poster) { _ in }
        poster.suspended = true
        let held = await posts { poster.post(name: name, object: nil) }
        #expect(kinds(held) == [[.posted]])
        let delivered = await posts { poster.suspended = false }
        #expect(kinds(delivered) == [[.posted, .called]])
        token.cancel()
    }

    @Test func `A post that can't be sent leaves nothing behind`() async throws {
        let token = poster.observe(name, on: .poster) { _ in }
        let posts = await posts {
            #expect(throws: DistributedPostError.self) {
                try poster.post(
                    name: name, object: String(repeating: "x", count: 100_000),
                    payload: .none)
            }
            poster.post(name: name, object: nil)
        }
        #expect(kinds(posts) == [[.posted, .called]])
        token.cancel()
    }

    @Test func `A hearer traces one in so many of the posts that their poster traces`()
        async throws
    {
        let token = hearer.observe(name, on: .poster) { _ in }
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        defer { TraceSampling.askedInterval = 1 }
        TraceSampling.askedInterval = 4
        let posts = await posts(oneIn: 8) {
            for _ in 0..<256 { poster.post(name: name, object: nil) }
        }
        #expect(posts.count { $0.contains { $0.kind == .sent } } == 32)
        // Some of the 32 posts are this process's own turn anyway.
        #expect(posts.count { $0[0].weight == 0 } <= 8)
        token.cancel()
    }

    @Test func `Held notifications that an urgent one brings along are posts of their own`()
        async throws
    {
        let kept = Notification.Name(UUID().uuidString)
        let tokens = [
            poster.observe(name, on: .poster, options: .whenSuspended(.hold)) { _ in },
            poster.observe(kept, on: .poster, options: .whenSuspended(.hold)) { _ in },
        ]
        poster.suspended = true
        poster.post(name: kept, object: nil)
        let urgent = await posts {
            poster.postNotificationName(name, object: nil, deliverImmediately: true)
        }
        // The first post is the way to other processes; both notifications are delivered within it.
        #expect(kinds(urgent) == [[.posted], [.posted, .within, .called]])
        for token in tokens { token.cancel() }
    }
}
