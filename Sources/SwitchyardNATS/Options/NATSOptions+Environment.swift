// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

extension NATSOptions {
    /// Returns the options in the environment variables that NATS's own tools use: `NATS_URL`
    /// (servers separated by commas), `NATS_USER` and `NATS_PASSWORD`, `NATS_TOKEN`, `NATS_CREDS`,
    /// `NATS_CA`, `NATS_CERT`, `NATS_KEY`.
    ///
    /// - Parameters:
    ///   - domain: the domain; only centers of one domain hear each other.
    ///   - environment: the variables; nil for the process's own.
    public static func environment(
        domain: String = "default",
        _ environment: [String: String]? = nil
    ) -> NATSOptions {
        let environment = environment ?? ProcessInfo.processInfo.environment
        func value(_ name: String) -> String? {
            environment["NATS_" + name].flatMap { $0.isEmpty ? nil : $0 }
        }
        var options = NATSOptions(domain: domain)
        if let url = value("URL") { options.servers = Self.servers(in: url) }
        if let file = value("CREDS") {
            options.credentials = .file(file)
        } else if let token = value("TOKEN") {
            options.credentials = .token(token)
        } else if let user = value("USER") {
            options.credentials = .user(user, password: value("PASSWORD") ?? "")
        }
        let tls = TLS(authorities: value("CA"), certificate: value("CERT"), key: value("KEY"))
        if tls.authorities != nil || tls.certificate != nil { options.tls = tls }
        return options
    }

    /// Sets the servers.
    ///
    /// - Parameter list: servers separated by commas, as in `NATS_URL`.
    public mutating func setServers(_ list: String) { servers = Self.servers(in: list) }

    /// Returns the servers in a list separated by commas, as in `NATS_URL`. An address with a slash
    /// and without a scheme stays as it is, and is refused later: "tls:/host" is meant otherwise.
    static func servers(in list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { !$0.isEmpty }
            .map { $0.contains("/") ? $0 : "nats://" + $0 }
    }
}
#endif
