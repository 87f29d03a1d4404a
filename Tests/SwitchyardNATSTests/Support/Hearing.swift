// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import TestSupport
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS

typealias Center = DistributedNotificationCenter

/// A center on a server, with its problems and losses.
final class Member: Sendable {
    let center: Center
    let problems = Log<String>()
    let losses = Log<DistributedLoss>()

    init(_ options: NATSOptions) throws {
        center = try Center(transport: .nats(options))
        center.onProblem { [problems] in problems.add("\($0)") }
        center.onLoss { [losses] in losses.add($0) }
    }

    convenience init(_ server: Server, domain: String = "default") throws {
        try self.init(NATSOptions(servers: [server.url], domain: domain))
    }

    /// Notes down the numbers of the notifications that come.
    func numbers(
        _ name: String?, of object: String? = nil, in notes: Log<Int>
    ) -> ObservationToken {
        center.observe(
            undecoded: name.map { Notification.Name($0) }, of: object, on: .poster
        ) { received in
            notes.add((try received.userInfo?["n"] as? Int) ?? -1)
        }
    }

    @discardableResult
    func post(_ name: String, object: String? = nil, _ number: Int) throws -> PostReceipt {
        try center.post(
            name: Notification.Name(name), object: object,
            payload: DistributedPayload(userInfo: ["n": number]))
    }

    var lost: Int { losses.entries.reduce(0) { $0 + Int($1.count) } }
}
#endif
