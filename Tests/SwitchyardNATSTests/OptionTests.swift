// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Options of observers that hear through a server.
@Suite("Patterns, conditions, pauses and consuming on NATS", .timeLimit(.minutes(5)))
struct OptionTests {
    private let limit = Duration.seconds(60)

    @Test(.rule(47)) func `A pattern hears the names that fit, and no others`() async throws {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let heard = Log<String>()
        let token = hearer.center.observe(matching: "folio.*.saved", on: .poster) {
            heard.add($0.name.rawValue)
        }
        await hearer.center.waitUntilReady(within: limit)
        for (number, name) in ["folio.a.saved", "folio.saved", "folio.b.saved"].enumerated() {
            try poster.post(name, number)
        }
        #expect(await heard.arrival(of: 2) == ["folio.a.saved", "folio.b.saved"])
        #expect(hearer.problems.entries == [])
        token.cancel()
    }

    @Test(.rule(41, 42)) func `Conditions turn away, and pauses keep, what the server brings`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let (even, all) = (Log<Int>(), Log<Int>())
        let isEven = ObservationOptions.where { (notification: Notification) in
            (notification.userInfo?["n"] as? Int)?.isMultiple(of: 2) == true
        }
        let tokens = [
            hearer.center.observe(.init("A"), on: .poster, options: isEven) {
                even.add($0.userInfo?["n"] as? Int ?? -1)
            },
            hearer.numbers("A", in: all),
        ]
        await hearer.center.waitUntilReady(within: limit)
        tokens[0].pause()
        for number in 0..<4 { try poster.post("A", number) }
        #expect(await all.arrival(of: 4) == [0, 1, 2, 3])
        #expect(even.entries == [])
        tokens[0].resume()
        #expect(even.entries == [0, 2])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(45)) func `What the server brings is consumed as what is posted here`() async throws
    {
        struct Key: DistributedMessage { var number = 0 }
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let (here, behind) = (Log<Int>(), Log<Int>())
        let tokens = [
            hearer.center.consume(Key.self) {
                here.add($0.number)
                return $0.number == 1 ? .consumed : .passed
            },
            hearer.center.observe(Key.self, on: .poster) { behind.add($0.number) },
        ]
        await hearer.center.waitUntilReady(within: limit)
        for number in 0..<3 { try poster.center.post(Key(number: number)) }
        #expect(await here.arrival(of: 3) == [0, 1, 2])
        #expect(await behind.arrival(of: 2) == [0, 2])
        for token in tokens { token.cancel() }
    }
}
#endif
