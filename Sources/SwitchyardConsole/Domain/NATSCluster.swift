// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardDistributed

#if NATS
internal import SwitchyardNATS

/// Access to a NATS cluster, for the commands that can use one.
package enum NATSCluster {
    static func center(_ url: String, domain: String) throws -> DistributedNotificationCenter {
        var options = NATSOptions.environment(domain: domain)
        options.setServers(url)
        return try DistributedNotificationCenter(transport: .nats(options))
    }

    /// Returns the servers in a list, for people: without passwords.
    static func name(_ url: String) -> String { NATSOptions.names(ofServers: url) }

    /// Returns the observed subjects that the server refuses to send, once `waitUntilReady` has
    /// returned. Empty if there are none, and for centers that are not on a cluster.
    package static func refusedInterests(of center: DistributedNotificationCenter) -> [String] {
        (center.engineTransport as? NATSTransport)?.refusedInterests ?? []
    }

    /// Returns whether the server forbids this process to exchange messages with others about the
    /// processes in the domain.
    package static func hidesPeers(from center: DistributedNotificationCenter) -> Bool {
        (center.engineTransport as? NATSTransport)?.isHiddenFromPeers ?? false
    }
}
#else
/// The replacement for NATS clusters where a program is built without NATS.
package enum NATSCluster {
    static func center(_ url: String, domain: String) throws -> DistributedNotificationCenter {
        throw MalformedInput(
            "--nats: this program was built without NATS: build it with --traits NATS, for which "
                + "libnats is needed (apt-get install libnats-dev)")
    }

    static func name(_ url: String) -> String { "a cluster" }

    package static func refusedInterests(
        of center: DistributedNotificationCenter
    ) -> [String] { [] }

    package static func hidesPeers(from center: DistributedNotificationCenter) -> Bool { false }
}
#endif
