// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// Options that look at notifications as they came.
@Suite("Options of undecoded observers", .timeLimit(.minutes(5)))
struct ReceivedConditionTests {
    private let network = InMemoryNetwork()
    private let name = Notification.Name("A")

    @Test(.rule(41)) func `A condition is looked at where the notification arrives`() async throws {
        let (poster, hearer) = (
            try network.center(named: "poster"), try network.center(named: "hearer")
        )
        let heard = Log<String>()
        let tokens = [poster, hearer].map { center in
            center.observe(
                undecoded: name, on: .poster,
                options: .where { (received: ReceivedNotification) in received.object != "old" }
            ) { heard.add("\(center === poster ? "own" : "sent") \($0.object ?? "")") }
        }
        #expect(await poster.waitUntilReady(within: .seconds(60)).isEmpty)
        #expect(await hearer.waitUntilReady(within: .seconds(60)).isEmpty)
        poster.post(name: name, object: "old", userInfo: nil)
        poster.post(name: name, object: "new", userInfo: nil)
        #expect(await heard.arrival(of: 2).sorted() == ["own new", "sent new"])
        withExtendedLifetime(tokens) {}
    }

    @Test(.rule(28)) func `The latest per key is kept by a key of the notification as it came`()
        async throws
    {
        let center = try network.center(named: "center")
        let (thread, heard) = (DeliveryThread(name: "slow"), Log<Int>())
        let (hasBegun, goesOn) = (Log<Void>(), DispatchSemaphore(value: 0))
        let token = center.observe(
            undecoded: name, on: .thread(thread),
            options: .bounded(
                .keepLatest { (received: ReceivedNotification) in received.object ?? "" })
        ) { received in
            let number = try received.userInfo?["n"] as? Int ?? -1
            if number == 0 {
                hasBegun.add(())
                goesOn.wait()
            }
            heard.add(number)
        }
        func post(_ number: Int, _ object: String) {
            center.post(name: name, object: object, userInfo: ["n": number])
        }
        post(0, "first")
        await hasBegun.arrival(of: 1)
        for number in 1...3 { post(number, "a") }
        post(4, "b")
        goesOn.signal()
        #expect(await heard.arrival(of: 3) == [0, 3, 4])
        token.cancel()
    }
}
