// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import Synchronization
import TestSupport
import Testing

@Suite("Conditions of observations", .timeLimit(.minutes(5))) struct FilterTests {
    private let center = MessageCenter()

    @Test(.rule(41)) func `Only posts that fulfil the condition are delivered`() {
        let log = Log<Int>()
        let token = center.observe(
            Ping.self, options: .where { (ping: Ping) in ping.number.isMultiple(of: 2) }
        ) { log.add($0.number) }
        for number in 0..<5 { center.post(Ping(number: number)) }
        #expect(log.entries == [0, 2, 4])
        withExtendedLifetime(token) {}
    }

    @Test(.rule(41)) func `The receipt counts a filtered delivery, and others hear as usual`() {
        let log = Log<Int>()
        let tokens = [
            center.observe(Ping.self, options: .where { (_: Ping) in false }) { _ in log.add(-1) },
            center.observe(Ping.self) { log.add($0.number) },
        ]
        let receipt = center.postAndReport(Ping(number: 1))
        #expect(receipt.filtered == 1 && receipt.delivered == 1)
        #expect(receipt.description == "1 delivered, 1 filtered")
        #expect(log.entries == [1])
        tokens[1].cancel()
        let alone = center.postAndReport(Ping())
        #expect(alone.filtered == 1 && alone.reachedNobody)
        tokens[0].cancel()
    }

    @Test(.rule(41)) func `The posting thread looks at the condition, and wakes nobody in vain`() {
        let target = HandDrained()
        let (mailbox, log) = (DeliveryMailbox(target: target), Log<Int>())
        let (poster, looks) = (pthread_self(), Log<Bool>())
        let token = center.observe(
            Ping.self, on: .mailbox(mailbox),
            options: .where { (ping: Ping) in
                looks.add(pthread_equal(pthread_self(), poster) != 0)
                return ping.number > 0
            }
        ) { log.add($0.number) }
        #expect(center.postAndReport(Ping()).filtered == 1)
        #expect(target.wakeUps.load(ordering: .relaxed) == 0)
        #expect(center.postAndReport(Ping(number: 1)).queued == 1)
        #expect(target.wakeUps.load(ordering: .relaxed) == 1)
        mailbox.drain()
        #expect(log.entries == [1])
        #expect(looks.entries == [true, true])
        token.cancel()
    }

    @Test(.rule(41)) func `A filtered post takes no room, no pace and no claim`() {
        let (mailbox, log) = (DeliveryMailbox(target: HandDrained()), Log<Int>())
        let condition = ObservationOptions.where { (ping: Ping) in ping.number > 0 }
        let tokens = [
            center.observe(
                Ping.self, on: .mailbox(mailbox), options: condition.bounded(.refuse(above: 1))
            ) { log.add($0.number) },
            center.observe(Ping.self, options: condition.once) { log.add(10 * $0.number) },
            center.observe(
                Ping.self, options: condition.paced(.throttle(.seconds(3600), latest: false))
            ) { log.add(100 * $0.number) },
        ]
        #expect(center.postAndReport(Ping()).filtered == 3)
        let receipt = center.postAndReport(Ping(number: 1))
        #expect(receipt.queued == 1 && receipt.delivered == 2 && receipt.refused == 0)
        mailbox.drain()
        #expect(log.entries == [10, 100, 1])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(41)) func `Of several conditions, all have to be fulfilled`() {
        let log = Log<Int>()
        let options = ObservationOptions.where { (ping: Ping) in ping.number > 1 }
            .priority(1).where { (ping: Ping) in ping.number < 4 }
        let token = center.observe(Ping.self, options: options) { log.add($0.number) }
        for number in 0..<6 { center.post(Ping(number: number)) }
        #expect(log.entries == [2, 3])
        token.cancel()
    }

    @Test(.rule(41)) func `A condition on another type traps where it is registered`() async {
        await #expect(processExitsWith: .failure) {
            _ = MessageCenter().observe(Ping.self, options: .where { (_: Tick) in true }) { _ in }
        }
        await #expect(processExitsWith: .failure) {
            _ = ObservationOptions.where { (_: Tick) in true }.where { (_: Ping) in true }
        }
    }

    @Test(.rule(41)) func `The condition and its captures go with the observation`() {
        final class Captured: Sendable {}
        let token: ObservationToken
        let witness: Witness<Captured>
        do {
            let captured = Captured()
            witness = Witness(captured)
            token = center.observe(
                Ping.self,
                options: .where { (_: Ping) in
                    withExtendedLifetime(captured) {}
                    return true
                }
            ) { _ in }
        }
        center.post(Ping())
        #expect(witness.isAlive)
        token.cancel()
        #expect(!witness.isAlive)
    }

    @Test(.rule(41)) func `A condition may end its own observation, and post`() {
        let (center, log) = (center, Log<Int>())
        let box = Log<ObservationToken>()
        box.add(
            center.observe(
                Ping.self,
                options: .where { (ping: Ping) in
                    if ping.number == 0 { center.post(Ping(number: 1)) }
                    if ping.number == 2 { box.entries[0].cancel() }
                    return true
                }
            ) { log.add($0.number) })
        for number in [0, 2, 3] { center.post(Ping(number: number)) }
        #expect(log.entries == [1, 0])
    }

    @Test(.rule(41)) func `A snapshot counts the posts that a condition turned away`() {
        let options = ObservationOptions.where { (ping: Ping) in ping.number == 0 }
        let tokens = [
            center.observe(Ping.self, options: options) { _ in },
            center.observe(Ping.self, options: options.inGroup("g")) { _ in },
            center.observe(Ping.self) { _ in },
        ]
        tokens[0].pause()
        center.post(Ping(number: 1))
        tokens[0].resume()
        for number in 0...2 { center.post(Ping(number: number)) }
        #expect(center.snapshot().entries.map(\.filtered) == [3, 3, 0])
        #expect(center.snapshot().description.contains("3 turned away by its condition"))
        for token in tokens { token.cancel() }
    }
}
