// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

import class Switchyard.NotificationCenter

@testable import SwitchyardInspection

private struct Ping: NotificationMessage {}
private struct Listed: NotificationMessage {}
private struct Looked: NotificationMessage {}

@Suite("Samples of a running program", .timeLimit(.minutes(4))) struct SamplerTests {
    @Test func `The directory lists a center from its creation to its end`() {
        func numbers() -> [UInt64] { CenterDirectory.centers.map(\.number) }
        var number: UInt64?
        do {
            let center = NotificationCenter()
            let token = center.observe(Listed.self) { _ in }
            let own = CenterDirectory.centers.first { other in
                other.registrations.contains { $0.entry.topic.hasSuffix("Listed") }
            }
            number = own?.number
            #expect(own != nil)
            token.cancel()
            withExtendedLifetime(center) {}
        }
        #expect(number.map { numbers().contains($0) } == false)
    }

    @Test func `A look finds the handler that a thread is in, and nothing else`() {
        let (center, entered, leave) = (MessageCenter(), Gate(), Gate())
        let token = center.observe(Looked.self) { _ in
            entered.open()
            leave.wait()
        }
        let idle = center.observe(Looked.self) { _ in }
        let ids = CenterDirectory.centers.flatMap(\.registrations).filter { registration in
            registration.entry.topic.hasSuffix("Looked")
        }
        let known = Set(ids.map(\.id))
        func look() -> [UInt64] {
            var found: [UInt64] = []
            HandlerSampler.look(among: known) { found.append($1) }
            return found
        }
        let poster = Thread { center.post(Looked()) }
        poster.start()
        entered.wait()
        #expect(look() == [ids.first?.id].compactMap { $0 })
        leave.open()
        token.cancelAndWait()
        #expect(look().isEmpty)
        idle.cancel()
    }

    // The test runs in a process of its own: other tests count deliveries, too.
    @Test
    func `Deliveries on the posting thread are counted while somebody watches, and not after`()
        async
    {
        await #expect(processExitsWith: .success) {
            func delivered(_ center: MessageCenter) -> UInt64? {
                center.snapshot().entries.first?.delivered
            }
            let (center, late) = (MessageCenter(), MessageCenter())
            let tokens = [center, late].map { $0.observe(Ping.self) { _ in } }
            center.post(Ping())
            precondition(delivered(center) == 0)
            CenterDirectory.beginCounting()
            center.post(Ping())
            precondition(delivered(center) == 1)
            // A center that is created meanwhile counts too.
            let young = MessageCenter()
            let token = young.observe(Ping.self) { _ in }
            young.post(Ping())
            precondition(delivered(young) == 1)
            CenterDirectory.endCounting()
            center.post(Ping())
            precondition(delivered(center) == 1 && !center.collectsStatistics)
            withExtendedLifetime((tokens, token)) {}
        }
    }
}
