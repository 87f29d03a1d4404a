// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The fate of a group's job whose process goes away, comes back or ends at the very moment
/// in which the job is given.
@Suite("Fates of jobs", .timeLimit(.minutes(5))) struct JobFateTests {
    /// An event of the connection to the chosen process, around the write of the job.
    enum Event: Sendable {
        case breaks
        case returns
        case ends
        /// The job goes to the connection, or is kept if there is none.
        case write
    }

    /// A way to one other process, with a member of the group.
    private final class OneProcess: CenterSender, @unchecked Sendable {
        // Sendable: the constants are, and `jobs` guards itself.
        static let id = "other"
        private unowned let exchange: GroupExchange
        private let events: [Event]
        private let isAwayAtFirst: Bool
        let jobs = Log<Int>()

        init(_ exchange: GroupExchange, _ events: [Event], isAwayAtFirst: Bool) {
            self.exchange = exchange
            self.events = events
            self.isAwayAtFirst = isAwayAtFirst
        }

        override var ownPeer: DistributedPeer? {
            DistributedPeer(id: "own", processIdentifier: 1, processName: "own")
        }
        override var isConnected: Bool { true }
        override var sharesGroups: Bool { true }
        override var noticesEnds: Bool { true }

        func comes() {
            let key = GroupInterest.Key("g", .name("job"), .none)
            let interest = key.flatMap {
                GroupInterest($0, members: 1, isSuspended: false).interest
            }
            exchange.set(GroupNews(interest.map { [$0] } ?? []), of: Self.id)
        }

        override func ask(
            _ name: String, _ object: String, _ payload: DistributedPayload,
            context: [String: String]
        ) throws -> DistributedAskResult {
            jobs.add(1)
            var isAway = isAwayAtFirst
            var result = DistributedAskResult()
            for event in events {
                switch event {
                case .breaks:
                    isAway = true
                    exchange.isAway(Self.id)
                case .returns:
                    isAway = false
                    comes()
                case .ends: exchange.hasGone(Self.id)
                case .write:
                    if isAway {
                        result.kept = [Self.id]
                    } else {
                        result.asked = [
                            DistributedPeer(id: Self.id, processIdentifier: 0, processName: "")
                        ]
                    }
                }
            }
            return result
        }
    }

    @Test(.rule(46), arguments: [[Event.write, .breaks, .returns], [.write]])
    func `A job whose outcome was lost with a connection is given up in the end, and counted once`(
        events: [Event]
    ) async throws {
        let center = try DistributedNotificationCenter(transport: HandCarriedTransport("own"))
        let losses = Log<Int>()
        center.onProblem { if $0.kind == .distributedLoss { losses.add($0.count) } }
        let exchange = GroupExchange(
            center.engine, LocalInterest(), center.intake.suspension, outcomeLimit: .nanoseconds(1))
        let sender = OneProcess(exchange, events, isAwayAtFirst: false)
        exchange.connect(sender)
        sender.comes()
        _ = try exchange.give(
            "job", nil, DistributedPayload(userInfo: ["n": 1]), isImmediate: false, [:])
        if events.count == 1 {
            #expect(losses.entries.isEmpty)
            exchange.isAway(OneProcess.id)
            sender.comes()
        }
        #expect(await losses.arrival(of: 1) == [1])
        #expect(exchange.state.withLock { $0.given.isEmpty && $0.givenBytes == 0 })
        exchange.hasGone(OneProcess.id)
        #expect(losses.entries == [1])
    }

    @Test func `The room for jobs that are kept counts their names, objects and contexts`() throws {
        let center = try DistributedNotificationCenter(transport: HandCarriedTransport("own"))
        let exchange = center.intake.groups
        let sender = OneProcess(exchange, [.write], isAwayAtFirst: false)
        exchange.connect(sender)
        sender.comes()
        let object = String(repeating: "o", count: 1_000)
        for _ in 0..<3 {
            _ = exchange.give("job", object, .none, isImmediate: false, ["trace": "parent"])
        }
        // The name, the object, the group "g" and the context.
        let bytes = 3 * (3 + 1_000 + 1 + 11)
        #expect(exchange.state.withLock(\.givenBytes) == bytes)
        let peer = DistributedPeer(id: OneProcess.id, processIdentifier: 0, processName: "")
        for number: UInt64 in 1...3 { exchange.take(.init(number, .handled, load: 0), from: peer) }
        #expect(exchange.state.withLock(\.givenBytes) == 0)
    }

    @Test(.rule(39)) func `A job with an object that is too long makes no sense`() {
        func job(_ length: Int) -> GroupFrame.Job {
            let object = String(repeating: "o", count: length)
            return GroupFrame.Job(1, for: "g", "job", object, .none, isImmediate: false)
        }
        #expect(GroupFrame.Job(job(WireFormat.longestObject).info) != nil)
        #expect(GroupFrame.Job(job(WireFormat.longestObject + 1).info) == nil)
    }

    /// The end of a job that was given to a process that has ended by now.
    private enum Fate: Equatable {
        /// A member of this process has heard it.
        case heardHere
        /// The process may have heard it: it is reported as lost.
        case lost
    }

    /// Posts a job that goes to the other process, in whose course the events happen; then that
    /// process ends.
    private func fate(_ events: [Event], isAwayAtFirst: Bool = false) throws -> Fate? {
        let center = try DistributedNotificationCenter(
            transport: HandCarriedTransport("own"))
        let losses = Log<Int>()
        center.onProblem { if $0.kind == .distributedLoss { losses.add($0.count) } }
        let exchange = center.intake.groups
        let sender = OneProcess(exchange, events, isAwayAtFirst: isAwayAtFirst)
        exchange.connect(sender)
        sender.comes()
        if isAwayAtFirst { exchange.isAway(OneProcess.id) }
        let heard = Log<Int>()
        let choice = try exchange.give(
            "job", nil, DistributedPayload(userInfo: ["n": 1]), isImmediate: false, [:])
        #expect(sender.jobs.entries.count == 1)
        if let own = choice?.here, !own.isEmpty { heard.add(1) }
        let token = center.observe(
            undecoded: Notification.Name("job"), on: .poster, options: .standard.inGroup("g")
        ) { _ in heard.add(1) }
        defer { token.cancel() }
        exchange.hasGone(OneProcess.id)
        switch (heard.entries.count, losses.entries.reduce(0, +)) {
        case (1, 0): return .heardHere
        case (0, 1): return .lost
        default: return nil
        }
    }

    @Test(.rule(46)) func `A job that went to a connection may have been heard`() throws {
        #expect(try fate([.write]) == .lost)
        #expect(try fate([.write, .breaks]) == .lost)
        #expect(try fate([.write, .ends]) == .lost)
        #expect(try fate([.write, .breaks, .returns]) == .lost)
        #expect(try fate([.write, .breaks, .ends]) == .lost)
        #expect(try fate([.breaks, .returns, .write, .ends]) == .lost)
        #expect(try fate([.returns, .write, .breaks], isAwayAtFirst: true) == .lost)
        #expect(try fate([.returns, .write, .breaks, .ends], isAwayAtFirst: true) == .lost)
    }

    @Test(.rule(46)) func `A job that waited for a connection that never came was not heard`()
        throws
    {
        #expect(try fate([.write], isAwayAtFirst: true) == .heardHere)
        #expect(try fate([.write, .ends], isAwayAtFirst: true) == .heardHere)
        #expect(try fate([.breaks, .write]) == .heardHere)
        #expect(try fate([.breaks, .write, .ends]) == .heardHere)
    }

    @Test(.rule(46)) func `A job that waited for a connection that came may have been heard`()
        throws
    {
        #expect(try fate([.write, .returns], isAwayAtFirst: true) == .lost)
        #expect(try fate([.write, .returns, .breaks, .ends], isAwayAtFirst: true) == .lost)
        #expect(try fate([.breaks, .write, .returns, .ends]) == .lost)
    }
}
