// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import DistributedProbe
import Foundation
import TestSupport
import Testing

/// Groups with members in real processes.
@Suite("Groups of processes", .serialized, .timeLimit(.minutes(5))) struct GroupTests {
    private func work() -> Observing { Observing("Job", kind: .notification, group: "g") }

    @Test(.rule(46), arguments: Depth.allCases)
    func `One member hears each post, whoever posts it`(depth: Depth) async throws {
        try await inWorld(depth) { world in
            let members = try await world.members(4)
            _ = try await all(members) { member in
                try await member.observe("job", work())
                try await member.observe("plain", Observing("Job", kind: .notification))
                try await member.ready()
            }
            _ = try await all(members) { member in
                try await member.post(Posts("Job", form: .info, count: 100))
            }
            // All of it has come: plain observers hear each post, and each job comes behind its
            // notification.
            let plain = try await all(members) { try await $0.numbers("plain", 400) }
            #expect(plain.map(\.count) == [400, 400, 400, 400])
            _ = try await all(members) { try await $0.run(.flush(seconds: 60)) }
            _ = try await all(members) { try await $0.ready() }
            let heard = try await all(members) { try await $0.numbers("job", 0) }
            let numbers = heard.flatMap(\.self).sorted()
            #expect(numbers == (1...100).flatMap { [$0, $0, $0, $0] })
            // Nobody was left out.
            #expect(heard.allSatisfy { !$0.isEmpty })
        }
    }

    @Test(.rule(46)) func `When a process is killed, the others hear what is posted from then on`()
        async throws
    {
        try await inWorld(.processes) { world in
            let poster = try await world.member("poster")
            let (one, other) = (try await world.member("one"), try await world.member("other"))
            for member in [one, other] {
                try await member.observe("job", work())
                try await member.ready()
            }
            one.process?.kill(SIGKILL)
            _ = try await poster.run(.peersLeft(atMost: 1))
            try await poster.post(Posts("Job", form: .info, count: 50))
            #expect(try await other.numbers("job", 50) == Array(1...50))
        }
    }
}
