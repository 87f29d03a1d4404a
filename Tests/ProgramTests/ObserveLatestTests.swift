// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardWire
import TestSupport
import Testing

@testable import SwitchyardDistributed

extension ProgramTests {
    /// `switchyard observe --latest`, and a center of this process in its runtime folder.
    @Suite struct ObserveLatest {
        @Test(.rule(43))
        func `Values that are kept come first, and what is posted then behind them`()
            async throws
        {
            let folder = try TestFolder()
            let domain = "latest"
            let network = UnixNetwork(
                try RuntimeFolder(
                    base: folder.path + "/switchyard", name: domain))
            let center = try DistributedNotificationCenter(domain: domain, network: network)
            func post(_ name: String, _ number: Int) {
                center.post(
                    name: Notification.Name(name), object: nil, userInfo: ["number": number],
                    retaining: .latest)
            }
            for number in 1...2 { post("Level", number) }
            post("Other", 9)
            let observer = try ToolProcess(
                "observe", "Level", "--latest", "--domain", domain, "--json", "--count", "2",
                in: folder)
            let first = try #require(await observer.output.next())
            #expect(first.contains(#""userInfo":{"number":2}"#))
            post("Level", 3)
            let second = try #require(await observer.output.next())
            #expect(second.contains(#""userInfo":{"number":3}"#))
            #expect(await observer.end() == 0)
        }
    }
}
