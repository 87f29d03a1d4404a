// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardCore
import TestSupport
import Testing

@Suite("Options of observations", .timeLimit(.minutes(5))) struct OptionTests {
    @Test func `Options combine in any order, and keep what was said before`() {
        let options = ObservationOptions.once.queued.priority(3).bounded(.dropOldest(above: 9))
            .concurrent.paced(.debounce(.seconds(1)))
        #expect(options.isOnce && options.isQueued && options.isConcurrent)
        #expect(options.priority == 3)
        #expect(options.bound?.limit == 9)
        #expect(options.pace != nil)
        let other = ObservationOptions.paced(.throttle(.seconds(1))).once
        #expect(other.isOnce && !other.isQueued && other.pace != nil && other.bound == nil)
        #expect(!ObservationOptions.standard.isOnce)
    }

    @Test func `An option can be taken back`() {
        var options = ObservationOptions.bounded(.dropNewest(above: 2)).once
        options.bound = nil
        options.isOnce = false
        #expect(options.bound == nil && !options.isOnce)
    }

    @Test func `A bound per key and a pace exclude each other, in either order`() async {
        await #expect(processExitsWith: .failure) {
            _ = ObservationOptions.bounded(.keepLatest { (ping: Int) in ping })
                .paced(.debounce(.seconds(1)))
        }
        await #expect(processExitsWith: .failure) {
            _ = ObservationOptions.paced(.debounce(.seconds(1)))
                .bounded(.keepLatest { (ping: Int) in ping })
        }
    }

    @Test(.rule(16)) func `Combined options all take effect`() {
        let center = MessageCenter()
        let log = Log<String>()
        let tokens = [
            center.observe(Ping.self, options: .once) { _ in log.add("low, once") },
            center.observe(Ping.self, options: .once.priority(1)) { _ in log.add("high, once") },
        ]
        center.post(Ping())
        center.post(Ping())
        #expect(log.entries == ["high, once", "low, once"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(23)) func `A directory has one mailbox for each owner, and keeps none alive`() {
        final class Pool: Sendable {}
        final class Target: MailboxTarget {
            let pool: Pool
            init(_ pool: Pool) { self.pool = pool }
            var label: String { "pool" }
            func wake(_ mailbox: DeliveryMailbox) {}
        }
        let directory = MailboxDirectory()
        func mailbox(_ pool: Pool) -> SharedMailbox {
            directory.mailbox(of: pool) { DeliveryMailbox(target: Target(pool)).shared }
        }
        let (first, second) = (Pool(), Pool())
        let kept = mailbox(first)
        #expect(mailbox(first) === kept)
        #expect(mailbox(second) !== kept)
        weak let unused = mailbox(second)
        #expect(unused == nil)

        // A pool that ends has its mailbox closed by the directory.
        let center = MessageCenter()
        let token = center.observe(Ping.self, on: .mailbox(kept)) { _ in }
        #expect(center.postAndReport(Ping()).queued == 1)
        center.onProblem { _ in }
        directory.close(mailboxOf: second)
        directory.close(mailboxOf: first)
        #expect(center.postAndReport(Ping()).undeliverable == 1)
        token.cancel()
    }
}
