// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore

private final class Inspector: Sendable {
    func hear(_ ping: Ping) {}
    func hearLater(_ ping: Ping) async {}
}

@Suite("Owners of observations") struct OwnerTests {
    private let center = MessageCenter()

    private var entry: CenterSnapshot.Entry? { center.snapshot().entries.first }

    @Test func `A snapshot names the class of an owner, and says when it has died`() throws {
        let inspector = Box(Inspector())
        let token = center.observe(Ping.self, options: .owned(by: inspector.value)) { _ in }
        #expect(try #require(entry).owner == "Inspector")
        #expect(try #require(entry).ownerIsGone == false)
        inspector.drop()
        #expect(try #require(entry).owner == "Inspector")
        #expect(try #require(entry).ownerIsGone)
        #expect(try #require(entry).description.hasSuffix("its owner has died"))
        token.cancel()
    }

    @Test func `An owner is not kept alive, and does not end its observation`() {
        let (inspector, count) = (Box(Inspector()), Counter())
        let witness = Witness(inspector.value)
        let token = center.observe(Ping.self, options: .owned(by: inspector.value)) { _ in
            count.add()
        }
        inspector.drop()
        #expect(!witness.isAlive)
        center.post(Ping())
        #expect(count.value == 1)
        token.cancel()
    }

    @Test func `Options keep their owner when others are added, and lose none to it`() throws {
        let inspector = Inspector()
        let options = ObservationOptions.once.owned(by: inspector).priority(3)
            .bounded(.dropOldest(above: 7))
        let token = center.observe(Ping.self, options: options) { _ in }
        let entry = try #require(entry)
        #expect(entry.owner == "Inspector")
        #expect(entry.options.isOnce)
        #expect(entry.options.priority == 3)
        #expect(options.bound?.limit == 7)
        withExtendedLifetime((token, inspector)) {}
    }

    @Test func `An owner is forgotten with its observation, however that ends`() {
        let inspector = Inspector()
        let other = Box(Inspector())
        let mine = ObservationOptions.owned(by: inspector)
        let cancelled = center.observe(Ping.self, options: mine) { _ in }
        let once = center.observe(Ping.self, options: mine.once) { _ in }
        center.observe(Ping.self, with: other.value, Inspector.hear, options: mine)
        let known = { center.engine.registry.state.withLock { $0.owners.count } }
        #expect(known() == 3)
        cancelled.cancel()
        #expect(known() == 2)
        other.drop()
        center.post(Ping())
        #expect(known() == 0)
        withExtendedLifetime(once) {}
    }

    @Test func `An owner does not change the way of a delivery`() {
        let inspector = Inspector()
        let token = center.observe(Ping.self, options: .owned(by: inspector)) { _ in }
        #expect(token.observation.flow == nil)
        #expect(token.observation.seenState & Observation.State.notPlain == 0)
        token.cancel()
    }

    @Test func `A snapshot names no owner where an observation has none`() throws {
        let token = center.observe(Ping.self) { _ in }
        #expect(try #require(entry).owner == nil)
        #expect(try #require(entry).ownerIsGone == false)
        token.cancel()
    }

    @Test func `A snapshot says whether a closure, a method or a stream is called`() throws {
        let inspector = Inspector()
        let tokens = [
            center.observe(Ping.self) { _ in },
            center.observe(Ping.self) { (_: Ping) async in },
            center.observe(Ping.self, with: inspector, Inspector.hear),
            center.observe(Ping.self, with: inspector, Inspector.hearLater),
        ]
        let stream = center.stream(Ping.self)
        #expect(
            center.snapshot().entries.map(\.handler) == [
                "a closure", "an async closure", "a method of Inspector",
                "an async method of Inspector", "a stream",
            ])
        withExtendedLifetime((tokens, stream, inspector)) {}
    }

    @Test(.rule(18, 33)) func `An observer whose actor has ended counts as expired once`() {
        let hand = DeliveryMailbox(target: HandDrained())
        let token = center.observe(Ping.self, on: .mailbox(hand)) { _ in }
        for _ in 0..<100 { center.post(Ping()) }
        // As an executor's target does whose actor has gone.
        token.observation.mailbox?.expireWaiting()
        #expect(center.snapshot().expired == 1 && token.isCancelled)
    }
}
