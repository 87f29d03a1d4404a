// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

/// Subscriptions that a wider one replaces, while their server is slow.
@Suite("Replaced NATS subscriptions", .serialized, .timeLimit(.minutes(5)))
struct ReplacedSubscriptionTests {
    private static let narrow = "switchyard.default.x.a"
    private static let wide = "switchyard.default.*.a"

    /// Returns the reply subject of the first process's notification with a number.
    private static func reply(_ number: Int) -> String {
        let digits = String(repeating: "0", count: 15)
        return "_SWY.\(digits)1.\(digits)\(number).00000001.\(digits)\(number).j"
    }

    @Test(.rule(40))
    func `A message that its server sends late to a replaced subscription is delivered`()
        async throws
    {
        // The first message shows that the narrow subscription has begun. The second one comes
        // after the server has confirmed the wide subscription, before the next confirmation.
        let server = try ScriptedServer(
            """
            pings = 0
            def hear(words, server):
                global pings
                narrow, wide = server.sid("\(Self.narrow)"), server.sid("\(Self.wide)")
                if words[:2] == ["SUB", "\(Self.narrow)"]:
                    server.send(narrow, "\(Self.narrow)", "", '{"n":1}')
                if words == ["PING"] and wide:
                    pings += 1
                    if pings == 2:
                        server.send(narrow, "\(Self.narrow)", "", '{"n":2}')
            """)
        let hearer = try Member(NATSOptions(servers: [server.url]))
        let (notes, others) = (Log<Int>(), Log<Int>())
        let narrow = hearer.numbers("a", of: "x", in: notes)
        #expect(await notes.arrival(of: 1) == [1])
        let wide = hearer.numbers("a", in: others)
        #expect(await notes.arrival(of: 2) == [1, 2])
        withExtendedLifetime([narrow, wide]) {}
    }

    @Test(.rule(40))
    func `A message that is missing when a subscription was replaced counts as lost`()
        async throws
    {
        // The second message is lost, and the third one comes through the wide subscription after
        // the narrow one has ended.
        let server = try ScriptedServer(
            """
            def hear(words, server):
                narrow, wide = server.sid("\(Self.narrow)"), server.sid("\(Self.wide)")
                if words[:2] == ["SUB", "\(Self.narrow)"]:
                    server.send(narrow, "\(Self.narrow)", "\(Self.reply(1))", '{"n":1}')
                if narrow and words[:2] == ["UNSUB", narrow]:
                    server.send(wide, "\(Self.narrow)", "\(Self.reply(3))", '{"n":3}')
            """)
        let hearer = try Member(NATSOptions(servers: [server.url]))
        let (notes, others) = (Log<Int>(), Log<Int>())
        let narrow = hearer.numbers("a", of: "x", in: notes)
        #expect(await notes.arrival(of: 1) == [1])
        let wide = hearer.numbers("a", in: others)
        #expect(await notes.arrival(of: 2) == [1, 3])
        #expect(hearer.lost == 1)
        withExtendedLifetime([narrow, wide]) {}
    }
}
#endif
