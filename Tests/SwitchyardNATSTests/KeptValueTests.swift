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

/// The latest values of the processes on a server.
@Suite("The latest values on NATS", .serialized, .timeLimit(.minutes(5))) struct KeptValueTests {
    private func post(_ number: Int, by member: Member, object: String? = nil) {
        member.center.post(
            name: Notification.Name("Level"), object: object, userInfo: ["n": number],
            retaining: .latest)
    }

    private func observeLate(
        _ member: Member, object: String? = nil, in notes: Log<Int>
    ) -> ObservationToken {
        member.center.observe(
            Notification.Name("Level"), of: object, on: .poster, options: .replayingLatest
        ) { notes.add($0.userInfo?["n"] as? Int ?? -1) }
    }

    @Test(.rule(43)) func `A process that comes later hears the latest value once`() async throws {
        let server = try Server()
        let poster = try Member(server)
        for number in 1...3 { post(number, by: poster, object: "a b") }
        let hearer = try Member(server)
        let (late, plain) = (Log<Int>(), Log<Int>())
        let tokens = [
            hearer.numbers("Level", in: plain), observeLate(hearer, object: "a b", in: late),
        ]
        #expect(await late.arrival(of: 1) == [3])
        post(4, by: poster, object: "a b")
        #expect(await late.arrival(of: 2) == [3, 4])
        #expect(plain.entries == [4])
        #expect(
            hearer.center.latest(Notification.Name("Level"), of: "a b")?.userInfo?["n"] as? Int == 4
        )
        for token in tokens { token.cancel() }
        #expect(poster.lost + hearer.lost == 0)
        #expect(poster.problems.entries + hearer.problems.entries == [])
    }

    @Test(.rule(40, 43))
    func `A durable observer of any name hears values, and not how they are asked for`()
        async throws
    {
        let server = try Server(["-js"])
        let (poster, hearer, keeper) = (try Member(server), try Member(server), try Member(server))
        let kept = Log<String>()
        let durable = try keeper.center.observe(durable: "d", nil, on: .poster) {
            kept.add($0.name.rawValue)
        }
        post(1, by: poster)
        let late = Log<Int>()
        let token = observeLate(hearer, in: late)
        #expect(await late.arrival(of: 1) == [1])
        try poster.post("End", 2)
        #expect(await kept.arrival(of: 2) == ["Level", "End"])
        token.cancel()
        withExtendedLifetime(durable) {}
    }

    @Test(.rule(43)) func `Values posted while there is no server are heard late, too`()
        async throws
    {
        let server = try Server()
        let (poster, hearer) = (try Member(server), try Member(server))
        server.end()
        for member in [poster, hearer] {
            await until { member.problems.entries.contains { $0.contains("broke") } }
        }
        post(1, by: poster)
        try server.start()
        let notes = Log<Int>()
        let token = observeLate(hearer, in: notes)
        #expect(await notes.arrival(of: 1) == [1])
        token.cancel()
    }

    @Test(.rule(43))
    func `Observers that come during posts hear one value first, and all that follow once`()
        async throws
    {
        let server = try Server()
        let poster = try Member(server)
        let hearers = try (0..<3).map { _ in try Member(server) }
        let count = 1_000
        let logs = (0..<60).map { _ in Log<Int>() }
        let posting = Task.detached { [self] in
            for number in 1...count {
                post(number, by: poster)
                if number.isMultiple(of: 8) { await Task.yield() }
            }
        }
        var tokens: [ObservationToken] = []
        for (index, log) in logs.enumerated() {
            tokens.append(observeLate(hearers[index % 3], in: log))
            if index.isMultiple(of: 6) {
                _ = await hearers[0].center.waitUntilReady(within: .seconds(60))
            }
        }
        await posting.value
        for log in logs {
            await until { log.entries.last == count }
            let numbers = log.entries
            #expect(numbers == Array((numbers.first ?? 0)...count))
        }
        for token in tokens { token.cancel() }
    }
}
#endif
