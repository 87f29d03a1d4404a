// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributed
import SwitchyardDistributedTesting
import TestSupport
import Testing

@Suite("Consuming and pausing between processes", .timeLimit(.minutes(5)))
struct ConsumedPostTests {
    private struct Key: DistributedMessage {
        var number = 0
    }

    private let network = InMemoryNetwork()

    private func centers() throws -> (
        poster: DistributedNotificationCenter, hearer: DistributedNotificationCenter
    ) {
        (try network.center(named: "poster"), try network.center(named: "hearer"))
    }

    @Test(.rule(45)) func `A post that is consumed still goes to other processes`() async throws {
        let (poster, hearer) = try centers()
        let (here, there) = (Log<Int>(), Log<Int>())
        let tokens = [
            poster.consume(Key.self) { $0.number.isMultiple(of: 2) ? .consumed : .passed },
            poster.observe(Key.self, on: .poster) { here.add($0.number) },
            hearer.observe(Key.self, on: .poster) { there.add($0.number) },
        ]
        await hearer.waitUntilReady(within: .seconds(60))
        for number in 0..<4 { try poster.post(Key(number: number)) }
        #expect(await there.arrival(of: 4) == [0, 1, 2, 3])
        #expect(here.entries == [1, 3])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45)) func `What comes from another process is consumed as what is posted here`()
        async throws
    {
        let (poster, hearer) = try centers()
        let (first, behind) = (Log<Int>(), Log<Int>())
        let tokens = [
            hearer.consume(Key.self) {
                first.add($0.number)
                return $0.number.isMultiple(of: 2) ? .consumed : .passed
            },
            hearer.observe(Key.self, on: .poster) { behind.add($0.number) },
        ]
        await hearer.waitUntilReady(within: .seconds(60))
        for number in 0..<4 { try poster.post(Key(number: number)) }
        #expect(await first.arrival(of: 4) == [0, 1, 2, 3])
        #expect(await behind.arrival(of: 2) == [1, 3])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(42)) func `A pause keeps what comes from other processes`() async throws {
        let (poster, hearer) = try centers()
        let (kept, witness) = (Log<Int>(), Log<Int>())
        let token = hearer.observe(Key.self, on: .poster) { kept.add($0.number) }
        let other = hearer.observe(Key.self, on: .poster) { witness.add($0.number) }
        await hearer.waitUntilReady(within: .seconds(60))
        token.pause()
        for number in 0..<3 { try poster.post(Key(number: number)) }
        _ = await witness.arrival(of: 3)
        #expect(kept.entries.isEmpty)
        token.resume()
        #expect(kept.entries == [0, 1, 2])
        for token in [token, other] { token.cancel() }
    }
}
