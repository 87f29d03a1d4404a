// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
import NATSProbe
import SwitchyardNATS

extension Server {
    /// A server with two users, `all` and `few`, of whom the second has limited permissions.
    static func limited(_ permissions: String, jetStream: Bool = false) throws -> Server {
        try Server(
            configuration: """
                \(jetStream ? "jetstream {}" : "")
                authorization { users: [
                    { user: all, password: "the-secret" },
                    { user: few, password: "the-secret", permissions: { \(permissions) } }
                ] }
                """)
    }

    /// The options of a user, whom the server need not know.
    func options(_ user: String) -> NATSOptions {
        NATSOptions(servers: ["nats://\(user):the-secret@127.0.0.1:\(port)"])
    }
}
#endif
