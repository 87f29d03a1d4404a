// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import TestSupport
import Testing

/// Requests of real processes.
@Suite("Requests of processes", .serialized, .timeLimit(.minutes(5))) struct RequestTests {
    private func request(
        _ member: Member, _ number: Int, all: Bool = true, within seconds: Double = 60
    ) async throws -> [Int] {
        try await member.run(.request(Question(number), all: all, seconds: seconds)).entries
            .compactMap(\.number)
    }

    private func failure(_ body: () async throws -> some Any) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(.rule(44), arguments: Depth.allCases)
    func `Each asks all others, also at once`(depth: Depth) async throws {
        try await inWorld(depth) { world in
            let members = try await world.members(4)
            _ = try await all(members) { member in
                try await member.run(.answer("answer", .atOnce))
                try await member.ready()
            }
            let answers = try await all(members) { member in
                var answers: [[Int]] = []
                for number in 0..<20 { answers.append(try await request(member, number)) }
                return answers
            }
            for answers in answers {
                #expect(answers == (0..<20).map { Array(repeating: $0 * $0, count: 4) })
            }
        }
    }

    @Test(.rule(44), arguments: [Answering.exiting, .crashing])
    func `A process that ends in the middle is an error, and waited for no more`(
        way: Answering
    ) async throws {
        try await inWorld(.processes) { world in
            let (asker, ending) = (
                try await world.member("asker"), try await world.member("ending")
            )
            try await ending.run(.answer("first", .atOnce))
            try await ending.run(.answer("second", way))
            try await ending.ready()
            // An answer that was sent before is taken.
            #expect(try await request(asker, 3, all: false) == [9])
            #expect(await failure { try await request(asker, 4) } == "asker: targetEnded")
            // There is nobody left.
            #expect(try await request(asker, 5) == [])
        }
    }

    @Test(.rule(44)) func `A stopped process costs the one who asks its time, and no more`()
        async throws
    {
        try await inWorld(.processes) { world in
            let (asker, stopped) = (
                try await world.member("asker"), try await world.member("stopped")
            )
            let other = try await world.member("other")
            for member in [stopped, other] {
                try await member.run(.answer("answer", .atOnce))
                try await member.ready()
            }
            stopped.process?.kill(SIGSTOP)
            #expect(try await request(asker, 2, all: false) == [4])
            #expect(
                await failure { try await request(asker, 3, within: 0.2) } == "asker: timedOut")
            stopped.process?.kill(SIGCONT)
            #expect(try await request(asker, 4) == [16, 16])
        }
    }
}
