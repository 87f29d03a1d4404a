// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS
import TestSupport
import Testing

@Suite("Traces on NATS", .serialized, .decidesSampling, .timeLimit(.minutes(5)))
struct TraceTests {
    @Test func `A post and its arrival in another process have the same connection and number`()
        async throws
    {
        let name = Notification.Name(UUID().uuidString)
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        let heard = Log<Int>()
        let token = hearer.center.observe(name, on: .poster) { note in
            heard.add(note.userInfo?["number"] as? Int ?? 0)
        }
        #expect(await hearer.center.waitUntilReady(within: .seconds(60)).isEmpty)
        // The poster traces two of these posts. The last post shows that all have come.
        let posts = await tracedPosts(named: name.rawValue, oneIn: 8) {
            for number in 1...17 {
                poster.center.post(name: name, object: nil, userInfo: ["number": number])
            }
        } until: {
            #expect(await heard.arrival(of: 17) == Array(1...17))
        }
        let kinds = posts.map { $0.map(\.kind) }
        func passages(_ kind: TraceEvent.Kind) -> Set<TracePassage> {
            Set(posts.joined().filter { $0.kind == kind }.map { TracePassage($0) })
        }
        #expect((2...3).contains(passages(.sent).count))
        #expect(passages(.sent).isSubset(of: passages(.received)))
        #expect(kinds.contains([.posted, .sent]))
        #expect(kinds.contains([.posted, .received, .called]))
        token.cancel()
    }
}
#endif
