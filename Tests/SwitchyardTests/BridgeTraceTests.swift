// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

/// The traces of posts that go to Foundation's center as well. Tracing concerns every center of the
/// process, so each test looks for the posts of its own name.
@Suite("Traces of posts to Foundation's center", .serialized, .decidesSampling)
struct BridgeTraceTests {
    private let center = Switchyard.NotificationCenter()
    private let name = Notification.Name("traced and handed over")

    private func kinds(of post: () -> Void) async -> [[TraceEvent.Kind]] {
        await tracedPosts(named: name.rawValue, posting: post, until: {}).map { $0.map(\.kind) }
    }

    @Test func `A post that Foundation's center gets as well is not unheard`() async {
        #expect(await kinds { center.post(name: name, object: nil) } == [[.posted, .unheard]])
        center.postsToFoundation = true
        #expect(await kinds { center.post(name: name, object: nil) } == [[.posted]])
        #expect(await kinds { center.post(Notification(name: name)) } == [[.posted]])
        let token = center.observe(name) { _ in }
        #expect(await kinds { center.post(name: name, object: nil) } == [[.posted, .called]])
        token.cancel()
    }
}
