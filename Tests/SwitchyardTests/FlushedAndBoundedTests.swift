// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Switchyard
import SwitchyardTesting
import TestSupport
import Testing

@Suite("Deliveries that a cancellation flushes, with a bound") struct FlushedAndBoundedTests {
    private let center = Switchyard.NotificationCenter()
    private let clock = ManualClock()
    private let mailbox = ManualMailbox()
    private let log = Log<Int>()

    private func observe(_ bound: DeliveryBound) -> ObservationToken {
        center.observe(
            Ping.self, on: mailbox.context,
            options: .paced(.throttle(.seconds(1), clock: clock, atCancel: .flush)).bounded(bound)
        ) { [log] in log.add($0.number) }
    }

    @Test(
        .rule(14, 28),
        arguments: [
            DeliveryBound.refuse(above: 1), .dropNewest(above: 1), .wait(above: 1),
        ])
    func `A delivery that waits is flushed although a later one found no room`(
        bound: DeliveryBound
    ) {
        let token = observe(bound)
        for number in 1...20 {
            let receipt = center.postAndReport(Ping(number: number))
            #expect(receipt.queued == (number == 1 ? 1 : 0))
            clock.advance(by: .seconds(1))
        }
        token.cancel()
        mailbox.drain()
        #expect(log.entries == [1])
    }

    @Test(.rule(14, 28)) func `A delivery that waits for room and is flushed counts as queued`()
        async throws
    {
        let token = observe(.wait(above: 1))
        center.post(Ping(number: 1))
        clock.advance(by: .seconds(1))
        // The task runs at once, until it waits for room.
        let post = Task.immediate { [center] in
            try await center.postWhenRoom(Ping(number: 2), timeout: .seconds(240))
        }
        token.cancel()
        mailbox.drain()
        let receipt = try await post.value
        #expect(receipt.queued == 1)
        #expect(!receipt.reachedNobody)
        #expect(log.entries == [2])
    }
}
