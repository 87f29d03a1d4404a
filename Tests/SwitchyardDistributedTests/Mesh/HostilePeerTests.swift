// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import Testing

/// Peers that say what no honest one would.
@Suite("Hostile peers", .serialized, .timeLimit(.minutes(1)))
struct HostilePeerTests {
    @Test func `Rule 39: numbers that no sender can come to end the connection, not the process`()
        throws
    {
        let network = ScriptedNetwork()
        let center = try network.center()
        for number in [UInt64.max, UInt64.max - 1, 1 << 63] {
            let peer = network.call()
            peer.greet()
            peer.say { $0.frame(.lost, number) }
            #expect(peer.hear(until: .bye)?.type == .bye)
        }
        withExtendedLifetime(center) {}
    }
}
