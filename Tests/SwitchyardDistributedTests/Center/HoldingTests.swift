// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The notifications that a suspended center holds.
@Suite("Held notifications of a suspended center", .timeLimit(.minutes(5)))
struct HoldingTests {
    @Test(.rule(38))
    func `A suspended center holds only notifications that an observer wants held`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let name = Notification.Name("A")
        let token = center.observe(name, on: .poster, options: .whenSuspended(.drop)) { _ in }
        center.suspended = true
        for number in 1...10 {
            center.post(name: name, object: "\(number)")
            center.post(name: Notification.Name("B"), object: "\(number)")
        }
        #expect(center.intake.suspension.count == 0)
        token.cancel()
    }
}
