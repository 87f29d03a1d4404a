// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
@_spi(Engine) import SwitchyardCore
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// Centers that post, remove, observe, suspend, lose connections and end in a random order, while
/// what they say to each other takes any time. Each order is one that its seed gives again.
@Suite("Agreement on the latest value in any order", .timeLimit(.minutes(5)))
struct LatestAgreementStress {
    // One order after the other: while a world waits for a task, it yields to others again and
    // again.
    @Test(.rule(43))
    func `All agree at the end, and no observer hears an older value after a later one`()
        async throws
    {
        for seed: UInt64 in 0..<(isThreadSanitized ? 100 : 500) {
            var world = try World(seed: seed, allowsDeaths: seed.isMultiple(of: 2))
            for _ in 0..<80 { await world.step() }
            await world.settle()
            world.check(seed)
        }
    }

    /// One observer that hears the latest value first.
    private struct Hearer {
        let object: String?
        let log: Log<Int>
        let token: ObservationToken
    }

    private final class Party {
        let transport: HandCarriedTransport
        let center: DistributedNotificationCenter
        var hearers: [Hearer] = []

        init(_ id: String) throws {
            transport = HandCarriedTransport(id)
            center = try DistributedNotificationCenter(transport: transport)
            center.onProblem { _ in }
            transport.tell()
        }
    }

    private struct Way: Hashable {
        let from: Int
        let to: Int
    }

    private struct World {
        private let name = Notification.Name("level.changed")
        private let objects: [String?] = [nil, "a"]
        private var random: Chance
        private var parties: [Party]
        private let allowsDeaths: Bool
        /// The party that posted the last number of each object.
        private var owners: [String?: String] = [:]
        /// The objects whose last poster has gone.
        private var orphans: Set<String?> = []
        private var born = 4
        /// What is on its way, in order.
        private var ways: [Way: [OutgoingNotification]] = [:]
        /// The last number posted for each object; nil once it was removed.
        private var last: [String?: Int] = [:]
        private var number = 0
        /// The logs of hearers that have gone.
        private var logs: [Log<Int>] = []

        init(seed: UInt64, allowsDeaths: Bool) throws {
            random = Chance(seed: seed)
            self.allowsDeaths = allowsDeaths
            parties = try (0..<4).map { try Party("party \($0)") }
        }

        // MARK: - Steps

        mutating func step() async {
            let index = Int.random(in: parties.indices, using: &random)
            let party = parties[index]
            let object = objects[Int.random(in: objects.indices, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<4: post(object, by: party)
            case 4:
                party.center.removeLatest(name, of: object)
                last[object] = nil
                orphans.remove(object)
            case 5..<8: await observe(object, by: party)
            case 8: cancelOne(of: party)
            case 9: party.transport.tell()
            case 10: party.center.suspended.toggle()
            case 11: await breakConnection(index)
            case 12 where allowsDeaths && Int.random(in: 0..<4, using: &random) == 0: die(index)
            default: carryOne()
            }
            route()
        }

        private mutating func post(_ object: String?, by party: Party) {
            number += 1
            last[object] = number
            owners[object] = party.transport.ownPeer.id
            orphans.remove(object)
            party.center.post(
                name: name, object: object, userInfo: ["number": number], retaining: .latest)
        }

        private func observe(_ object: String?, by party: Party) async {
            let log = Log<Int>()
            let before = party.transport.count
            let token = party.center.observe(
                name, of: object, on: .poster, options: .replayingLatest
            ) { log.add(($0.userInfo?["number"] as? Int ?? 0) * ($0.object == nil ? 1 : -1)) }
            party.hearers.append(Hearer(object: object, log: log, token: token))
            await until { party.transport.count > before }
        }

        private mutating func cancelOne(of party: Party) {
            guard let index = party.hearers.indices.randomElement(using: &random) else { return }
            let hearer = party.hearers.remove(at: index)
            hearer.token.cancel()
            logs.append(hearer.log)
        }

        /// Ends a party, and begins another one. The last of what it sent comes after the others
        /// have noticed.
        private mutating func die(_ index: Int) {
            route()
            let old = parties[index]
            for hearer in old.hearers {
                hearer.token.cancel()
                logs.append(hearer.log)
            }
            // What the one before it sent last, and what was for this one, is lost.
            for other in parties.indices { ways[Way(from: other, to: index)] = [] }
            for object in objects
            where owners[object] == old.transport.ownPeer.id && last[object] != nil {
                orphans.insert(object)
            }
            guard let new = try? Party("party \(born)") else { return }
            born += 1
            for (place, party) in parties.enumerated() where place != index {
                let way = Way(from: index, to: place)
                if Bool.random(using: &random) {
                    party.transport.intake.hasGone(old.transport.ownPeer)
                }
                for notification in ways[way] ?? [] {
                    party.transport.receive(notification, from: old.transport)
                }
                ways[way] = []
                party.transport.intake.hasGone(old.transport.ownPeer)
            }
            parties[index] = new
        }

        /// Loses all that is on its way between two parties.
        private mutating func breakConnection(_ index: Int) async {
            let other = (index + 1) % parties.count
            for way in [Way(from: index, to: other), Way(from: other, to: index)] { ways[way] = [] }
            for party in [parties[index], parties[other]] {
                let before = party.transport.count
                let asks = !party.hearers.isEmpty
                party.transport.intake.connectionIsBack()
                if asks { await until { party.transport.count > before } }
            }
        }

        /// Puts what was sent on its way to those that want it now.
        private mutating func route() {
            for (from, party) in parties.enumerated() {
                for notification in party.transport.takeSent() {
                    for (to, other) in parties.enumerated()
                    where to != from && other.transport.wants(notification) {
                        ways[Way(from: from, to: to), default: []].append(notification)
                    }
                }
            }
        }

        private mutating func carryOne() {
            let full = ways.filter { !$0.value.isEmpty }.keys
                .sorted { ($0.from, $0.to) < ($1.from, $1.to) }
            guard let way = full.randomElement(using: &random),
                let notification = ways[way]?.removeFirst()
            else { return }
            parties[way.to].transport.receive(notification, from: parties[way.from].transport)
        }

        // MARK: - The end

        mutating func settle() async {
            for party in parties { party.center.suspended = false }
            for (index, party) in parties.enumerated() where !party.hearers.isEmpty {
                await breakConnection(index)
                party.transport.tell()
            }
            // Questions are sent by tasks, so that an answer may come a moment later.
            await until {
                carryAll()
                return isAgreed
            }
            carryAll()
        }

        private mutating func carryAll() {
            repeat {
                route()
                carryOne()
            } while ways.values.contains { !$0.isEmpty }
        }

        /// Whether all know the last value of each object, and have heard it if they wanted to.
        private var isAgreed: Bool {
            objects.allSatisfy { object in
                let values = parties.compactMap { latest(object, in: $0) }
                if orphans.contains(object) { return Set(values).count <= 1 }
                return Set(values).count <= 1 && values.first == last[object]
                    && hearers(of: object).allSatisfy { log in
                        last[object] == nil || numbers(of: object, in: log).last == last[object]
                    }
            }
        }

        private func latest(_ object: String?, in party: Party) -> Int? {
            party.center.latest(name, of: object)?.userInfo?["number"] as? Int
        }

        /// The logs of the observers that hear an object.
        private func hearers(of object: String?) -> [Log<Int>] {
            parties.flatMap(\.hearers).filter { $0.object == nil || $0.object == object }.map(\.log)
        }

        private func numbers(of object: String?, in log: Log<Int>) -> [Int] {
            log.entries.filter { ($0 > 0) == (object == nil) }.map(abs)
        }

        func check(_ seed: UInt64) {
            #expect(isAgreed, "seed \(seed)")
            for log in logs + parties.flatMap(\.hearers).map(\.log) {
                for object in objects {
                    let numbers = numbers(of: object, in: log)
                    #expect(
                        zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
                        "seed \(seed): \(numbers)")
                }
            }
        }
    }
}
