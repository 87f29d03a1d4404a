// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

@Suite("A consumer that delivers nothing", .timeLimit(.minutes(5))) struct DurableStallTests {
    private let start = ContinuousClock.now

    private func progress(
        _ delivered: Int, pending: Int = 1, unanswered: Int = 0, isPaused: Bool = false
    ) -> DurableProgress {
        DurableProgress(
            delivered: delivered, pending: pending, unanswered: unanswered, isPaused: isPaused)
    }

    /// Returns whether the consumer has stalled at each of the seconds.
    private func looks(_ progress: [DurableProgress]) -> [Bool] {
        var stall = DurableStall()
        return progress.enumerated().map { stall.isStalled($1, at: start + .seconds($0)) }
    }

    @Test func `It has stalled when messages have been pending for three seconds`() {
        #expect(looks([progress(7), progress(7), progress(7), progress(7)]).last == true)
        #expect(looks([progress(7), progress(7), progress(7)]).contains(true) == false)
    }

    @Test func `If another subject does not help, the next is tried after twice the time`() {
        let stalls = looks(Array(repeating: progress(7), count: 40))
        #expect(stalls.indices.filter { stalls[$0] } == [3, 10, 23])
        let helped = looks(
            Array(repeating: progress(7), count: 4) + Array(repeating: progress(8), count: 5))
        #expect(helped.indices.filter { helped[$0] } == [3, 7])
    }

    @Test func `If another subject does not help, the consumer is stuck until it begins anew`() {
        var stall = DurableStall()
        let isStuck = (0..<11).map { second in
            _ = stall.isStalled(progress(7), at: start + .seconds(second))
            return stall.isStuck
        }
        #expect(isStuck == Array(repeating: false, count: 10) + [true])
        stall.begin()
        #expect(!stall.isStuck)
    }

    @Test func `A delivery, an open answer, nothing pending and a pause begin the time anew`() {
        for other in [
            progress(8), progress(7, unanswered: 1), progress(7, pending: 0),
            progress(7, isPaused: true),
        ] {
            let all = [progress(7), progress(7), other, progress(other.delivered)]
            #expect(!looks(all + [progress(other.delivered)]).contains(true), "\(other)")
            let later = Array(repeating: progress(other.delivered), count: 3)
            #expect(looks(all + later).contains(true), "\(other)")
        }
    }

    @Test func `The server's description is read`() {
        let answer: [String: Any] = [
            "delivered": ["consumer_seq": 12, "stream_seq": 40], "num_pending": 3,
            "num_ack_pending": 2,
        ]
        var expected = progress(12, pending: 3, unanswered: 2)
        expected.position = 40
        #expect(DurableProgress(answer) == expected)
        #expect(DurableProgress(answer.merging(["paused": true]) { $1 }).isPaused)
    }

    /// A server that is killed while it delivers may forget to go on.
    @Test(.rule(40))
    func `A durable observer goes on after its server was killed again and again`() async throws {
        let server = try Server(["-js"])
        let (hearer, poster) = (try Member(server), try Member(server))
        let notes = Log<Int>()
        let token = try hearer.center.observe(
            durable: "d", Notification.Name("a"), on: .poster
        ) { notes.add(number($0)) }
        for round in 0..<Self.rounds {
            // Posts that no stream keeps, because the server is away, are counted elsewhere.
            for number in 0..<200 { _ = try? poster.post("a", round * 1_000 + number) }
            server.end()
            try server.start()
            #expect(await poster.center.waitUntilReady(within: .seconds(60)).isEmpty)
        }
        let last = Self.rounds * 1_000
        for number in 0..<20 { try poster.post("a", last + number) }
        #expect(await until { Set(last..<last + 20).isSubset(of: notes.entries) })
        withExtendedLifetime(token) {}
    }

    private static let rounds =
        ProcessInfo.processInfo.environment["SWITCHYARD_KILLS"].flatMap(Int.init) ?? 3
}
#endif
