// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
// The names of servers in errors and reports, without users, passwords and tokens.
extension NATSOptions {
    /// The servers' names, for people.
    var serverNames: String { Self.names(ofServers: servers) }

    /// Returns the names of the servers in a list separated by commas, as in `NATS_URL`, for
    /// people.
    package static func names(ofServers list: String) -> String {
        names(ofServers: servers(in: list))
    }

    private static func names(ofServers servers: [String]) -> String {
        let last = servers.lastIndex { $0.contains("@") } ?? 0
        return servers.indices.map { index in
            let server = servers[index]
            if index >= last || server.contains("@") { return name(ofServer: server) }
            // Credentials follow, so this may be a user and the first part of a password with a
            // comma in it, or a further part of the password.
            let (scheme, host, _) = parts(ofServer: server)
            let mayBeUser = index == 0 || servers[index - 1].contains("@")
            return scheme + (mayBeUser ? host : "(hidden)")
        }.joined(separator: ", ")
    }

    /// Returns a server's URL without user, password and token. Leaves out a port that is not a
    /// number, because it may be the first half of a password with a comma in it.
    static func name(ofServer url: String) -> String {
        let (scheme, host, port) = parts(ofServer: url)
        return scheme + host + (port.map { UInt16($0) == nil ? "" : ":" + $0 } ?? "")
    }

    /// Splits a server's URL into its scheme, host and port, without the credentials.
    static func parts(
        ofServer url: String
    ) -> (scheme: String, host: String, port: String?) {
        let (scheme, rest) =
            url.firstRange(of: "://").map { (String(url[..<$0.upperBound]), url[$0.upperBound...]) }
            ?? ("", url[...])
        let host = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else {
            return (scheme, String(host), nil)
        }
        return (scheme, String(host[..<colon]), String(host[host.index(after: colon)...]))
    }

    /// Returns one of libnats's texts, with servers named without credentials, and with secrets
    /// replaced.
    func withoutSecrets(_ text: String) -> String {
        var text = text
        for server in servers where server.contains("@") {
            let decoded = try? ServerCredentials.decoded(server)
            for address in [server, decoded?.address].compactMap({ $0 }) {
                text = text.replacing(address, with: Self.name(ofServer: server))
            }
        }
        // A port that is not a number is the second half of a password with a comma in it.
        for port in servers.compactMap({ Self.parts(ofServer: $0).port }) where UInt16(port) == nil
        {
            text = text.replacing(
                "'\(port)'", with: "(hidden: in a password, a comma is written %2C)")
        }
        var secrets = servers.flatMap { ServerCredentials.secrets(in: $0) }
        switch credentials {
        case .user(_, let password): secrets.append(password)
        case .token(let token): secrets.append(token)
        case .file, .files, nil: break
        }
        // Replacing a secret of one to three letters would also change other words.
        for secret in secrets where secret.utf8.count > 3 {
            text = text.replacing(secret, with: "(hidden)")
        }
        return text
    }

    /// Checks whether the domain's name can be used in NATS.
    ///
    /// - Throws: An error that says why the name can't be used.
    func checkDomain() throws {
        if domain.isEmpty {
            throw NATSError("the domain's name is empty: write one, such as org.example")
        }
        // The domain's name is part of the name of the stream for durable observers.
        if domain.contains(where: { $0 == "/" || $0 == "\\" }) {
            throw NATSError(
                "the domain \"\(domain)\" has a slash, which the name of a NATS stream can't have: write "
                    + "a dot in its place, as in org.example")
        }
        if SubjectMap.token(domain).utf8.count > Self.longestDomain {
            throw NATSError(
                "the domain \"\(domain)\" takes more than \(Self.longestDomain) bytes in a NATS "
                    + "subject: shorten it")
        }
    }

    private static let longestDomain = 200
}
#endif
