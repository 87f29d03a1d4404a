// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardNATS

typealias Center = DistributedNotificationCenter

/// What was noted down, in order. Safe from any thread.
final class Notes<Entry: Sendable>: Sendable {
    private let storage = Guarded<[Entry]>([])

    var entries: [Entry] { storage.withLock { $0 } }

    func add(_ entry: Entry) { storage.withLock { $0.append(entry) } }

    /// Waits until there are `count` entries, four minutes at most; what there is.
    @discardableResult
    func arrival(of count: Int) async -> [Entry] {
        await until { entries.count >= count }
        return entries
    }
}

/// Waits for what no one tells of, four minutes at most, and blocks no thread.
@discardableResult
func until(_ isSo: () async -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(240)
    while await !isSo() {
        if ContinuousClock.now > limit { return false }
        await Task.yield()
    }
    return true
}

/// A center on a server, and what it says is wrong.
final class Member: Sendable {
    let center: Center
    let problems = Notes<String>()
    let losses = Notes<DistributedLoss>()

    init(_ options: NATSOptions) throws {
        center = try Center(transport: .nats(options))
        center.onProblem { [problems] in problems.add("\($0)") }
        center.onLoss { [losses] in losses.add($0) }
    }

    convenience init(_ server: Server, domain: String = "default") throws {
        try self.init(NATSOptions(servers: [server.url], domain: domain))
    }

    /// Notes down the number of what comes.
    func numbers(
        _ name: String?, of object: String? = nil, in notes: Notes<Int>
    ) -> ObservationToken {
        center.observe(
            undecoded: name.map { Notification.Name($0) }, of: object, on: .poster
        ) { received in
            notes.add((try received.userInfo?["n"] as? Int) ?? -1)
        }
    }

    func post(_ name: String, object: String? = nil, _ number: Int) throws {
        try center.post(
            name: Notification.Name(name), object: object,
            payload: DistributedPayload(userInfo: ["n": number]))
    }

    var lost: Int { losses.entries.reduce(0) { $0 + Int($1.count) } }
}
#endif
