// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// How a process reaches a NATS cluster.
///
/// ```swift
/// var options = NATSOptions(servers: ["tls://one.example.org", "tls://two.example.org"])
/// options.credentials = .file("/etc/example/user.creds")
/// let center = try DistributedNotificationCenter(transport: .nats(options))
/// ```
public struct NATSOptions: Sendable {
    /// Who this process is to the servers.
    public enum Credentials: Sendable {
        /// A name and a password.
        case user(String, password: String)
        /// A token.
        case token(String)
        /// The path of a file with a JWT and its seed, as `nsc` writes them.
        case file(String)
        /// The path of a file with the JWT, and of one with the seed.
        case files(jwt: String, seed: String)
    }

    /// What is needed to speak to servers in private. Paths are of PEM files.
    public struct TLS: Sendable {
        /// Whom to trust as the servers' authority; nil: the system's authorities.
        public var authorities: String?
        /// This process's own certificate, where servers ask for one.
        public var certificate: String?
        /// The key of the certificate; nil: it is in the certificate's file.
        public var key: String?
        /// Under what name the servers' certificates are made out, if not that in the URL.
        public var serverName: String?

        /// The system's authorities, and no certificate of one's own.
        public init(
            authorities: String? = nil, certificate: String? = nil, key: String? = nil,
            serverName: String? = nil
        ) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
            self.serverName = serverName
        }
    }

    /// Where servers of the cluster are: `nats://host:4222`, or `tls://…`. One is enough: it tells of
    /// the others.
    public var servers: [String]
    /// Only centers of one domain hear each other.
    public var domain: String
    /// What the servers call this process in their reports; nil: its name.
    public var name: String?
    /// Who it is; nil: what the URL says, as in `nats://user:password@host`, or nobody.
    public var credentials: Credentials?
    /// Needed for `tls://` only where something differs from what is usual.
    public var tls: TLS?
    /// How long to wait for each server when connecting.
    public var connectTimeout: Duration = .seconds(2)
    /// Whether the center may be made while no server can be reached, and connects when one can.
    public var startsUnconnected = false
    /// How long to wait at most before a server is tried again: the first time it is a few
    /// milliseconds, then twice as long each time, and never the same for all clients. There is no
    /// end of tries.
    public var longestReconnectPause: Duration = .seconds(2)
    /// How many bytes may wait to be sent, while there is no connection or the server does not keep
    /// up. What is posted beyond is refused with an error.
    public var bufferBytes = 8 * 1024 * 1024
    /// How long a stream keeps for durable observers what they have not handled. The stream is made by
    /// the first of them, and stays as it was made.
    public var streamAge: Duration = .seconds(30 * 24 * 3600)
    /// How long a durable observer's handler may take: then the server takes the process for dead, and
    /// delivers the notification again.
    public var durableHandlingTime: Duration = .seconds(30)

    /// - Parameters:
    ///   - servers: where servers of the cluster are.
    ///   - domain: only centers of one domain hear each other.
    public init(servers: [String] = ["nats://127.0.0.1:4222"], domain: String = "default") {
        self.servers = servers
        self.domain = domain
    }
}
#endif
