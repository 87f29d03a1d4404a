// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import Switchyard
import SwitchyardDistributedTesting
import TestSupport
import Testing

@testable import SwitchyardDistributed

/// The notifications that a suspended center holds.
@Suite("Held notifications of a suspended center", .timeLimit(.minutes(5)))
struct HoldingTests {
    @Test(.rule(38))
    func `A suspended center holds only notifications that an observer wants held`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let name = Notification.Name("A")
        let token = center.observe(name, on: .poster, options: .whenSuspended(.drop)) { _ in }
        center.suspended = true
        for number in 1...10 {
            center.post(name: name, object: "\(number)")
            center.post(name: Notification.Name("B"), object: "\(number)")
        }
        #expect(center.intake.suspension.count == 0)
        token.cancel()
    }

    @Test(.rule(38))
    func `The end of a message that a later one supersedes may use the suspended center`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let ends = Log<Bool>()
        let token = center.observe(Ending.self, on: .poster) { _ in }
        center.suspended = true
        for _ in 1...2 {
            try center.post(Ending { [weak center] in ends.add(center?.suspended == true) })
        }
        #expect(ends.entries == [true])
        #expect(center.intake.suspension.count == 1)
        token.cancel()
    }

    @Test(.rule(38), .rule(46))
    func `Others are told the state that the last of two threads has given the center`()
        async throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let token = center.observe(name, on: .poster, options: .standard.inGroup("g")) { _ in }
        func isToldSuspended() -> Bool {
            let told = center.intake.interest.told.compactMap(GroupInterest.init).first
            return told?.isSuspended == true
        }
        for _ in 0..<500 {
            DispatchQueue.concurrentPerform(iterations: 2) { center.suspended = $0 == 0 }
            // Another thread tells them.
            guard await until({ isToldSuspended() == center.suspended }) else {
                Issue.record("others were told another state")
                break
            }
        }
        token.cancel()
    }

    @Test(.rule(38), .rule(41))
    func `A suspended center holds the last notification that fulfils each observer's condition`()
        throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let (high, low, all, last) = (Log<Int>(), Log<Int>(), Log<Int>(), Log<Int>())
        func observe(
            _ log: Log<Int>, _ options: ObservationOptions
        ) -> ObservationToken {
            center.observe(name, on: .poster, options: options) { log.add(level($0)) }
        }
        let tokens = [
            observe(high, .where { (note: Notification) in level(note) > 5 }),
            observe(low, .where { (note: Notification) in level(note) < 3 }),
            observe(last, .standard),
        ]
        let whole = observe(all, .whenSuspended(.hold).where { level($0) > 2 })
        center.suspended = true
        for level in [9, 1, 7, 2, 4] { post(level, center) }
        whole.cancel()
        post(5, center)
        center.suspended = false
        #expect(high.entries == [7] && low.entries == [2] && last.entries == [5])
        #expect(all.entries == [])
        for token in tokens { token.cancel() }
    }

    @Test(.rule(38), .rule(41))
    func `An observer that gets all held notifications gets those that fulfil its condition`()
        throws
    {
        let center = try InMemoryNetwork().center(named: "alone")
        let log = Log<Int>()
        let options = ObservationOptions.whenSuspended(.hold).where { (note: Notification) in
            level(note) > 2
        }
        let token = center.observe(name, on: .poster, options: options) { log.add(level($0)) }
        center.suspended = true
        for level in [9, 1, 7, 2] { post(level, center) }
        #expect(center.intake.suspension.count == 2)
        center.suspended = false
        #expect(log.entries == [9, 7])
        token.cancel()
    }

    @Test(.rule(32))
    func `A post that a suspended center holds for nobody is a dead letter`() throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let letters = Log<String>()
        center.onDeadLetter { letters.add($0) }
        let token = center.observe(name, on: .poster, options: .whenSuspended(.drop)) { _ in }
        center.suspended = true
        #expect(center.postAndReport(name: name, object: nil).reachedNobody)
        #expect(center.postAndReport(name: Notification.Name("unheard"), object: nil).reachedNobody)
        #expect(letters.entries.count == 2)
        token.cancel()
    }

    @Test(.rule(28))
    func `A handler that ends its thread leaves the held notifications to another`() async throws {
        let center = try InMemoryNetwork().center(named: "alone")
        let log = Log<Int>()
        let token = center.observe(name, on: .poster, options: .whenSuspended(.hold)) { note in
            log.add(level(note))
            if level(note) == 1 { Thread.exit() }
        }
        center.suspended = true
        for level in 1...3 { post(level, center) }
        Thread.detachNewThread { center.suspended = false }
        #expect(await log.arrival(of: 3) == [1, 2, 3])
        post(4, center)
        #expect(await log.arrival(of: 4) == [1, 2, 3, 4])
        token.cancel()
    }

    private let name = Notification.Name("A")

    private func post(_ level: Int, _ center: DistributedNotificationCenter) {
        center.post(name: name, object: nil, userInfo: ["level": level])
    }
}

private func level(_ note: Notification) -> Int { note.userInfo?["level"] as? Int ?? 0 }

/// A message whose end runs code.
private final class Ending: DistributedMessage {
    static let name = Notification.Name("Ending")
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    init(from decoder: any Decoder) throws { end = {} }
    func encode(to encoder: any Encoder) throws { try [0].encode(to: encoder) }

    deinit { end() }
}
