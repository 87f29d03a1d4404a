// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

#if NATS
internal import SwitchyardNATS

/// A NATS cluster, for the commands that can speak to one.
enum NATSCluster {
    static func center(_ url: String, domain: String) throws -> DistributedNotificationCenter {
        var options = NATSOptions.environment(domain: domain)
        options.setServers(url)
        return try DistributedNotificationCenter(transport: .nats(options))
    }
}
#else
/// Stands for NATS clusters where the tool is built without them.
enum NATSCluster {
    static func center(_ url: String, domain: String) throws -> DistributedNotificationCenter {
        throw MalformedInput(
            "--nats: this switchyard was built without NATS: build it with --traits NATS, for which "
                + "libnats is needed (apt-get install libnats-dev)")
    }
}
#endif
