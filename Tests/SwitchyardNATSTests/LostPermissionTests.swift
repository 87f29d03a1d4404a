// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import Foundation
import NATSProbe
import Switchyard
import SwitchyardCore
import SwitchyardDistributed
import TestSupport
import Testing

@testable import SwitchyardNATS

/// Permissions that an account loses while it is used.
@Suite("Permissions that are lost", .serialized, .timeLimit(.minutes(5)))
struct LostPermissionTests {
    private let name = Notification.Name("a")

    /// - Parameter folder: the server's folder, which a reload has to name as it is.
    private func configuration(denying subject: String, _ folder: String? = nil) -> String {
        """
        jetstream { \(folder.map { "store_dir: \"\($0)\"" } ?? "") }
        authorization { users: [
            { user: all, password: "secret" },
            { user: few, password: "secret", permissions: { subscribe: { deny: "\(subject)" } } }
        ] }
        """
    }

    private func options(_ server: Server, _ user: String) -> NATSOptions {
        NATSOptions(servers: ["nats://\(user):secret@127.0.0.1:\(server.port)"])
    }

    /// - Parameter durable: the observer's name. Of a long one, libnats cuts the refusal.
    @Test(.rule(40), arguments: ["d", String(repeating: "long", count: 55)])
    func `A durable observer that may subscribe no more is told so, and goes on when it may`(
        durable: String
    ) async throws {
        let server = try Server(configuration: configuration(denying: "nothing"))
        let (member, poster) = (
            try Member(options(server, "few")), try Member(options(server, "all"))
        )
        let notes = Log<Int>()
        let token = try member.center.observe(durable: durable, name, on: .poster) {
            notes.add(number($0))
        }
        try poster.post("a", 1)
        #expect(await notes.arrival(of: 1) == [1])
        try server.configure(configuration(denying: "_SWY.durable.>", server.folder))
        server.send(SIGHUP)
        #expect(
            await until {
                member.problems.entries.contains {
                    $0.contains("may not subscribe to _SWY.durable.default.\(durable).>")
                        && $0.contains("\"\(durable)\" gets nothing") && $0.contains("allow _SWY.>")
                }
            })
        #expect(
            !member.problems.entries.contains { $0.contains("whether its posts are kept") },
            "\(member.problems.entries)")
        try poster.post("a", 2)
        #expect(await poster.center.waitUntilFlushed(within: .seconds(60)).isEmpty)
        try server.configure(configuration(denying: "nothing", server.folder))
        server.send(SIGHUP)
        #expect(await notes.arrival(of: 2) == [1, 2])
        // One text for all attempts.
        #expect(member.problems.entries.count { $0.contains("gets nothing") } == 1)
        withExtendedLifetime(token) {}
    }
}
#endif
