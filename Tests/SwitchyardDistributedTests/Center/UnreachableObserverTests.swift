// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributedTesting
import TestSupport
import Testing

@_spi(Engine) @testable import SwitchyardCore
@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Observers that no other process can post to, and posts that can't leave.
@Suite("Notifications that can't leave their process", .timeLimit(.minutes(5)))
struct UnreachableObserverTests {
    @Test
    func `An observer of an object that is too long is reported, and no process learns of it`()
        throws
    {
        let interest = LocalInterest()
        interest.onChange {}
        let object = String(repeating: "x", count: WireFormat.longestObject + 1)
        interest.interestChanged(.name("A"), Subject(object), isObserved: true)
        interest.interestChanged(.name("B"), .none, isObserved: true)
        #expect(interest.takeUnheard().count == 1)
        #expect(
            interest.takeChanges().map(\.interest) == [DistributedInterest(name: "B", object: nil)])
        interest.interestChanged(.name("A"), Subject(object), isObserved: false)
        #expect(interest.takeUnheard().isEmpty)
        #expect(interest.takeChanges().isEmpty)
    }

    @Test func `Observers that come and go leave nothing behind where nobody asks`() {
        let interest = LocalInterest()
        for number in 0..<100 {
            for isObserved in [true, false] {
                interest.interestChanged(.name("A\(number)"), .none, isObserved: isObserved)
                interest.interestChanged(.name("B"), Subject(number), isObserved: isObserved)
            }
        }
        #expect(interest.changeCount == 0)
        #expect(interest.takeUnheard().isEmpty)
    }

    @Test func `The problem hook may post: no lock is held while it hears of an observer`()
        async throws
    {
        let center = try InMemoryNetwork().center(named: "lonely")
        let problems = Guarded<[String]>([])
        center.onProblem { problem in
            center.post(name: Notification.Name("Problem"), object: nil)
            problems.withLock { $0.append(problem.description) }
        }
        let token = center.observe(Notification.Name("A"), of: 5) { _ in }
        // The thread of the connections reports the problem, and may only be about to.
        #expect(await until { problems.withLock { !$0.isEmpty } })
        #expect(problems.withLock { $0 }.count == 1)
        token.cancel()
        center.onProblem(nil)
    }

    @Test func `A value that is no property list is named with its path, from userInfo on`() throws
    {
        struct Owner {}
        let error = #expect(throws: DistributedPostError.self) {
            try DistributedPayload(userInfo: ["window": ["owner": Owner()]])
        }
        #expect(error?.code == .notPropertyList)
        #expect(error?.description.hasPrefix("userInfo[\"window\"][\"owner\"] is an Owner") == true)
    }
}
