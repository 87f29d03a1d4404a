// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed
import Testing

@testable import SwitchyardConsole

/// The sum of losses in summaries.
@Suite struct LossSumTests {
    private func sum(_ counts: UInt64...) -> LossSum {
        let peer = DistributedPeer(id: "x", processIdentifier: 1, processName: "a")
        return counts.reduce(into: LossSum()) { sum, count in
            sum.add(DistributedLoss(peer: peer, direction: .incoming, count: count))
        }
    }

    @Test func `A loss of unknown size is never shown as none`() {
        #expect(sum().description == "0")
        #expect(sum(3, 4).description == "7")
        #expect(sum(0).description == "an unknown number")
        #expect(sum(3, 0, 4).description == "7 or more")
    }

    @Test func `The sum stays at the largest number there is`() {
        #expect(sum(.max, 1).description == "\(UInt64.max)")
        #expect(sum(.max - 1, 5, 7).description == "\(UInt64.max)")
    }
}
