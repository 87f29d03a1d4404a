// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// The processes that a process knows on NATS.
@Suite("The table of other processes") struct PeerTableTests {
    private func announcement(_ number: Int) -> PeerAnnouncement {
        let text = String(number, radix: 16)
        let id = String(repeating: "0", count: 16 - text.count) + text
        return PeerAnnouncement(
            DistributedPeer(id: id, processIdentifier: 1, processName: "test"), interests: [],
            published: 0, others: nil)
    }

    @Test(.rule(39))
    func `Processes that never say that they leave are asked, so that the table stays small`() {
        var table = PeerTable(domain: "default", id: "own")
        var largest = 0
        for number in 1...10_000 {
            let isNew = table.receive(announcement(number))
            #expect(isNew)
            largest = max(largest, table.known.count)
            let asked = table.beginRollCall()
            if asked.isEmpty { continue }
            let again = table.beginRollCall()
            #expect(again.isEmpty)
            // The first 100 live.
            for id in asked where (UInt64(id, radix: 16) ?? 0) > 100 { table.forget(id) }
            table.endRollCall()
        }
        let left = table.known.count
        #expect(largest <= 512 && left >= 100)
    }

    @Test(.rule(40)) func `A session that has broken does not end the next one's waiting`() {
        var table = PeerTable(domain: "default", id: "own")
        _ = table.receive(announcement(1))
        table.awaitAll(sinceBreakOf: 2)
        table.awaitAll(sinceBreakOf: 3)
        table.awaitNobody(on: 3)
        let awaited = table.awaited.count
        #expect(awaited == 1)
        table.awaitNobody(on: 4)
        let left = table.awaited.count + table.known.count
        #expect(left == 0)
    }
}
#endif
