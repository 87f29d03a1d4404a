// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardCore
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("The end of a suspension") struct ResumptionTests {
    private static let name = Notification.Name("A")

    /// Numbers that an observer hears, where they are posted.
    private final class Ears: Sendable {
        let heard = Guarded<[Int]>([])
        var all: [Int] { heard.withLock { $0 } }

        func listen(
            to center: DistributedNotificationCenter,
            _ behavior: DistributedNotificationCenter.SuspensionBehavior
        ) -> ObservationToken {
            center.observe(name, on: .poster, options: .whenSuspended(behavior)) { [self] note in
                let number = note.userInfo?["number"] as? Int ?? 0
                heard.withLock { $0.append(number) }
            }
        }
    }

    @Test(.rule(38), .timeLimit(.minutes(5)))
    func `A resumption ends although others come for as long as it goes on`() async throws {
        let center = try InMemoryNetwork().center(named: "lonely")
        let hasReturned = Log<Bool>()
        let last = Log<Int>()
        let token = center.observe(Self.name, on: .poster, options: .whenSuspended(.hold)) {
            [weak center] note in
            let number = note.userInfo?["number"] as? Int ?? 0
            if !hasReturned.entries.isEmpty { return last.add(number) }
            center?.post(name: Self.name, object: nil, userInfo: ["number": number + 1])
        }
        center.suspended = true
        center.post(name: Self.name, object: nil, userInfo: ["number": 1])
        center.suspended = false
        hasReturned.add(true)
        #expect(await last.arrival(of: 1).count == 1)
        token.cancel()
    }

    @Test(.rule(38))
    func `A notification that comes while held ones are delivered is not held any more`()
        throws
    {
        let center = try InMemoryNetwork().center(named: "lonely")
        let (drop, coalesce) = (Ears(), Ears())
        var tokens = [drop.listen(to: center, .drop), coalesce.listen(to: center, .coalesce)]
        tokens.append(
            center.observe(Self.name, on: .poster, options: .whenSuspended(.hold)) { note in
                guard note.userInfo?["number"] as? Int == 1 else { return }
                for number in 2...4 {
                    center.post(name: Self.name, object: nil, userInfo: ["number": number])
                }
            })
        center.suspended = true
        center.post(name: Self.name, object: nil, userInfo: ["number": 1])
        center.suspended = false
        #expect(drop.all == [2, 3, 4])
        #expect(coalesce.all == [1, 2, 3, 4])
        for token in tokens { token.cancel() }
    }
}
