// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("Flushes during a suspension") struct SuspensionFlushTests {
    private static let name = Notification.Name("A")
    private let center: DistributedNotificationCenter

    init() throws {
        center = try DistributedNotificationCenter(domain: "lonely", network: LonelyNetwork())
    }

    /// Numbers that an observer hears, where they are posted.
    private final class Ears: Sendable {
        let heard = Guarded<[Int]>([])
        var all: [Int] { heard.withLock { $0 } }
    }

    private func listen(
        _ behavior: DistributedNotificationCenter.SuspensionBehavior, _ ears: Ears
    ) -> ObservationToken {
        center.observe(Self.name, on: .poster, options: .whenSuspended(behavior)) { note in
            let number = note.userInfo?["number"] as? Int ?? 0
            ears.heard.withLock { $0.append(number) }
        }
    }

    private func post(_ number: Int, immediately: Bool = false) {
        center.postNotificationName(
            Self.name, object: nil, userInfo: ["number": number], deliverImmediately: immediately)
    }

    @Test(.rule(38))
    func `A notification for immediate delivery lets the held ones go first`() {
        let (drop, coalesce, hold) = (Ears(), Ears(), Ears())
        let tokens = [listen(.drop, drop), listen(.coalesce, coalesce), listen(.hold, hold)]
        center.suspended = true
        for number in 1...3 { post(number) }
        #expect(drop.all + coalesce.all + hold.all == [])
        post(4, immediately: true)
        post(5)
        post(6)
        #expect(drop.all == [4])
        #expect(coalesce.all == [3, 4])
        #expect(hold.all == [1, 2, 3, 4])
        center.suspended = false
        #expect(drop.all == [4])
        #expect(coalesce.all == [3, 4, 6])
        #expect(hold.all == [1, 2, 3, 4, 5, 6])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(38)) func `A notification that comes during such a flush is not held any more`() {
        let (drop, coalesce) = (Ears(), Ears())
        var tokens = [listen(.drop, drop), listen(.coalesce, coalesce)]
        let center = center
        tokens.append(
            center.observe(Self.name, on: .poster, options: .whenSuspended(.hold)) { note in
                guard note.userInfo?["number"] as? Int == 1 else { return }
                for number in 2...4 {
                    center.post(name: Self.name, object: nil, userInfo: ["number": number])
                }
            })
        center.suspended = true
        post(1)
        center.suspended = false
        #expect(drop.all == [2, 3, 4])
        #expect(coalesce.all == [1, 2, 3, 4])
        for token in tokens { token.cancel() }
    }
}
