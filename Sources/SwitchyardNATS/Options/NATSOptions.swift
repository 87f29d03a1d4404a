// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The options with which a process connects to a NATS cluster.
///
/// ```swift
/// var options = NATSOptions(servers: ["tls://one.example.org", "tls://two.example.org"])
/// options.credentials = .file("/etc/example/user.creds")
/// let center = try DistributedNotificationCenter(transport: .nats(options))
/// ```
public struct NATSOptions: Sendable {
    /// The credentials with which this process identifies itself to servers.
    public enum Credentials: Sendable {
        /// A name and a password.
        case user(String, password: String)
        /// A token.
        case token(String)
        /// The path of a file with a JWT and its seed, as `nsc` writes it.
        case file(String)
        /// The paths of a file with the JWT and of a file with the seed.
        case files(jwt: String, seed: String)

        /// Whether they are proved by a signature.
        var areSigned: Bool {
            switch self {
            case .user, .token: false
            case .file, .files: true
            }
        }
    }

    /// The settings for encrypted connections. Paths name PEM files.
    public struct TLS: Sendable {
        /// The authorities whose server certificates are trusted; nil for the system's authorities.
        public var authorities: String?
        /// This process's own certificate, if servers ask for one.
        public var certificate: String?
        /// The key of the certificate; nil if the key is in the certificate's file.
        public var key: String?
        /// The name in the servers' certificates; nil if it is the host name in the URL.
        public var serverName: String?

        /// Creates settings; by default with the system's authorities and no certificate for this
        /// process.
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

    /// The addresses of servers: `nats://host:4222`, or `tls://host:4222` for a connection with
    /// TLS; `host:4222` means `nats://host:4222`. Capitals in the scheme and spaces around the
    /// address mean nothing; other schemes are an error when the center is created. Without
    /// TLS, one server of the cluster is enough, because it names the others; with TLS, name all
    /// that are to be tried, because it names them by addresses that certificates seldom have. A user and a password, or a token, may
    /// stand before the host, escaped as in URLs (`nats://user:p%40ss@host`); ``credentials`` are
    /// not escaped.
    public var servers: [String]
    /// The domain. Only centers of one domain hear each other.
    public var domain: String
    /// The name of this process in the servers' reports; nil for the process's name.
    public var name: String?
    /// The credentials of this process; nil for those in the URL, as in
    /// `nats://user:password@host`, or none.
    public var credentials: Credentials?
    /// The TLS settings. For `tls://` servers, they are needed only where they differ from the
    /// defaults.
    public var tls: TLS?
    /// The longest time to wait for each server when connecting, until it has answered the first
    /// request, the handshake of TLS included. Looking up a host's name takes as long as the system
    /// allows.
    public var connectTimeout: Duration = .seconds(2)
    /// Whether the center can be created while no server can be reached. It connects as soon as one
    /// can. Creating it tries each server once, for up to ``connectTimeout``.
    public var startsUnconnected = false
    /// The longest pause before a server is tried again. The first pause is a few milliseconds;
    /// each following one is twice as long, with a random part, so that not all clients connect at
    /// once. The transport never stops trying.
    public var longestReconnectPause: Duration = .seconds(2)
    /// The number of bytes that may wait to be sent, while there is no connection or the server is
    /// too slow. A post beyond that number fails with an error.
    public var bufferBytes = 8 * 1024 * 1024
    /// The time for which a stream keeps notifications that durable observers have not handled. The
    /// domain's first durable observer creates the stream; later values do not change it.
    public var streamAge: Duration = .seconds(30 * 24 * 3600)
    /// The time for which the server waits for a sign of life from a durable observer's process
    /// before it delivers unhandled notifications again. The library sends such signs by itself for
    /// each notification that waits for a handler or is being handled.
    public var durableHandlingTime: Duration = .seconds(30)
    /// The number of times that a durable observer's handler may refuse a notification, by
    /// throwing, before the notification is given up. With pauses from a second to five minutes, 16
    /// refusals take about 40 minutes. Deliveries do not count: a notification whose process ended
    /// while handling it is delivered again without limit.
    public var durableTries = 16

    /// - Parameters:
    ///   - servers: the addresses of servers of the cluster.
    ///   - domain: the domain; only centers of one domain hear each other.
    public init(servers: [String] = ["nats://127.0.0.1:4222"], domain: String = "default") {
        self.servers = servers
        self.domain = domain
    }
}
#endif
