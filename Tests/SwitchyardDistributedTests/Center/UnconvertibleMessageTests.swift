// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed
import SwitchyardDistributedTesting
import Testing

@Suite("Notifications under a message's name that are no message", .timeLimit(.minutes(5)))
struct UnconvertibleMessageTests {
    struct Added: DistributedMessage {
        static let name = Notification.Name("Added")
        var format: String
    }

    enum Posted: CaseIterable {
        case nothing, bytes, anotherType, data, otherMessage

        var payload: DistributedPayload {
            get throws {
                switch self {
                case .nothing: .none
                case .bytes: try DistributedPayload(bytes: [1])
                case .anotherType: try DistributedPayload(userInfo: ["format": 5])
                case .data: try DistributedPayload(userInfo: ["format": Data()])
                case .otherMessage: try DistributedPayload(message: Other(number: 5))
                }
            }
        }
    }

    struct Other: DistributedMessage { var number: Int }

    @Test(arguments: Posted.allCases)
    func
        `A notification that is no such message is reported with its poster, and the handler is not called`(
            posted: Posted
        ) async throws
    {
        let network = InMemoryNetwork()
        let (poster, hearer) = try (network.center(named: "a"), network.center(named: "b"))
        let (problems, problem) = AsyncStream.makeStream(of: DeliveryProblem.self)
        hearer.onProblem { problem.yield($0) }
        let token = hearer.observe(Added.self, on: .poster) { message in
            Issue.record("heard \(message)")
        }
        await hearer.waitUntilReady(within: .seconds(60))
        try poster.post(name: Added.name, payload: posted.payload)
        let reported = try #require(await problems.first { _ in true })
        #expect(reported.kind == .notConvertible)
        #expect(reported.description.contains("\(poster.ownPeer) posted as \"Added\""))
        token.cancel()
    }
}
