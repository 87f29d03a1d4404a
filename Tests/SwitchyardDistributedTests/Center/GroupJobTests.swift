// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardDistributedTesting
import SwitchyardWire
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// Jobs of groups for processes that are about to join, or are suspended.
@Suite("Jobs of groups", .timeLimit(.minutes(5))) struct GroupJobTests {
    private static let name = Notification.Name("job")
    private let limit = Duration.seconds(60)

    private func work(
        _ center: DistributedNotificationCenter, in log: Log<Int>,
        _ behavior: ObservationOptions = .whenSuspended(.hold)
    ) -> ObservationToken {
        center.observe(
            undecoded: Self.name, on: .poster, options: behavior.inGroup("g")
        ) { received in
            log.add((try received.userInfo?["n"] as? Int) ?? -1)
        }
    }

    private func post(_ number: Int, _ center: DistributedNotificationCenter) {
        center.post(name: Self.name, object: nil, userInfo: ["n": number])
    }

    @Test(.rule(46))
    func `A process that is still joining is given no job, so that none is doubled`()
        async throws
    {
        let network = ScriptedNetwork(peers: ["peer"])
        var center: DistributedNotificationCenter? = try network.center()
        let log = Log<Int>()
        let token = center.map { work($0, in: log) }
        let peer = try #require(network.peer("peer"))
        peer.greet()
        peer.say { frames in
            let group = #"{"key":{"group":"g","name":"job"},"members":5}"#
            for (name, object) in [(CenterNames.groups, group), (CenterNames.answers, "peer")] {
                DistributedInterest(name: name, object: object).write(
                    to: &frames, isObserved: true)
            }
        }
        let mesh = try #require(center?.engineTransport as? Mesh)
        await until {
            mesh.state.withLock { $0.outlets.values.contains { $0.wanted.all.count == 2 } }
        }
        for number in 0..<6 { if let center { post(number, center) } }
        #expect(log.entries == Array(0..<6))
        peer.say { $0.frame(.sync, 0) }
        #expect(peer.hear(until: .synced)?.type == .synced)
        token?.cancel()
        center = nil
        // All that was kept for the peer comes before its connection ends.
        #expect(!peer.hearAll().map(\.type).contains(.notification))
    }

    @Test(.rule(46))
    func `A job for a process that is still joining is kept, as far as there is room`()
        async throws
    {
        let network = ScriptedNetwork(peers: ["peer"])
        var limits = DistributedLimits()
        limits.queueBytes = 4096
        let center = try network.center(limits)
        let peer = try #require(network.peer("peer"))
        peer.greet()
        let mesh = try #require(center.engineTransport as? Mesh)
        func ask(bytes: Int) throws -> DistributedAskResult {
            try mesh.ask(
                OutgoingNotification(
                    name: CenterNames.answers, object: "peer",
                    payload: DistributedPayload(bytes: Array(repeating: 0, count: bytes)),
                    deliversImmediately: true))
        }
        await until { mesh.state.withLock { $0.backlogs["peer"] != nil } }
        #expect(try ask(bytes: 2000) == DistributedAskResult(kept: ["peer"]))
        #expect(try ask(bytes: 3000) == DistributedAskResult(dropped: 1))
        peer.say { frames in
            DistributedInterest(name: CenterNames.answers, object: "peer").write(
                to: &frames, isObserved: true)
            frames.frame(.sync, 0)
        }
        #expect(peer.hear(until: .synced)?.type == .synced)
        let sent = try ask(bytes: 100)
        #expect(sent.asked.count == 1)
        #expect(sent.kept.isEmpty)
        withExtendedLifetime(center) {}
    }

    @Test(.rule(46), arguments: [1, 2])
    func `Jobs that a suspended process keeps are answered for when they are heard`(
        workers: Int
    )
        async throws
    {
        let network = InMemoryNetwork()
        let poster = try network.center(named: "poster")
        let problems = Log<String>()
        poster.onProblem { problems.add("\($0)") }
        poster.onLoss { problems.add("\($0)") }
        let held = Log<Int>()
        var suspended: DistributedNotificationCenter? = try network.center(named: "suspended")
        var token = suspended.map { work($0, in: held) }
        await poster.waitUntilReady(within: limit)
        await suspended?.waitUntilReady(within: limit)
        suspended?.suspended = true
        for number in 0..<10 { post(number, poster) }
        await poster.waitUntilFlushed(within: limit)
        await until { suspended?.intake.suspension.count == 10 }
        if workers == 1 {
            // The process ends with what it keeps.
            token?.cancel()
            suspended = nil
            await until {
                problems.entries.contains { $0.contains("10 notifications for members") }
            }
        } else {
            // Its member ends: another process hears what was kept.
            let other = try network.center(named: "other")
            let log = Log<Int>()
            let second = work(other, in: log)
            await other.waitUntilReady(within: limit)
            await poster.waitUntilReady(within: limit)
            token?.cancel()
            suspended?.suspended = false
            #expect(await log.arrival(of: 10).sorted() == Array(0..<10))
            #expect(problems.entries.isEmpty)
            second.cancel()
        }
        #expect(held.entries.isEmpty)
        token = nil
    }
}
