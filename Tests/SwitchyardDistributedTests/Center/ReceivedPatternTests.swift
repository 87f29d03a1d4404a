// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

@Suite("Patterns of names between processes", .timeLimit(.minutes(5)))
struct ReceivedPatternTests {
    private let network = InMemoryNetwork()

    @Test(.rule(47))
    func `A pattern hears what others post, and its end leaves other observers alone`()
        async throws
    {
        let (poster, hearer) = (
            try network.center(named: "poster"), try network.center(named: "hearer")
        )
        let (matched, all) = (Log<String>(), Log<String>())
        let pattern = hearer.observe(matching: "folio.*.saved", on: .poster) {
            matched.add($0.name.rawValue)
        }
        let any = hearer.observe(nil, on: .poster) { all.add($0.name.rawValue) }
        func post(_ name: String) {
            poster.post(name: Notification.Name(name), object: nil, userInfo: nil)
        }
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        #expect(await poster.waitUntilReady(within: .seconds(60)).isEmpty)
        let names = ["folio.a.saved", "folio.a.closed", "folio.b.saved"]
        for name in names { post(name) }
        #expect(await all.arrival(of: 3) == names)
        #expect(matched.entries == ["folio.a.saved", "folio.b.saved"])
        pattern.cancel()
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        post("folio.c.saved")
        #expect(await all.arrival(of: 4).last == "folio.c.saved" && matched.entries.count == 2)
        any.cancel()
    }
}
