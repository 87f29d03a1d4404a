// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

// The schemes of servers' addresses. libnats ignores them, and would use no TLS for a scheme that
// it does not know.
extension NATSOptions {
    /// Removes spaces around the servers' addresses, and writes their schemes in small letters:
    /// capitals mean nothing in a scheme ([RFC
    /// 3986](https://www.rfc-editor.org/rfc/rfc3986#section-3.1)).
    mutating func tidyServers() {
        servers = servers.map { server in
            let address = server.trimmingCharacters(in: .whitespacesAndNewlines)
            guard let end = address.firstRange(of: "://")?.lowerBound else { return address }
            return address[..<end].lowercased() + address[end...]
        }
    }

    /// Checks whether all servers' addresses are tidy, and have a scheme that is known, or none.
    ///
    /// - Throws: An error that says which address is wrong and what to write. It names no part of
    ///   the address, because that may be a part of a password.
    func checkServers() throws {
        for (index, server) in servers.enumerated() where !Self.hasKnownScheme(server) {
            throw NATSError(
                "the address of NATS server \(index + 1) of \(servers.count) has neither the scheme "
                    + "nats nor tls: write nats://host:4222, or tls://host:4222 for a connection with "
                    + "TLS (in a password, a comma is written %2C, and a slash %2F)")
        }
    }

    private static func hasKnownScheme(_ server: String) -> Bool {
        if server.hasPrefix(plain) || server.hasPrefix(encrypted) { return true }
        // An address with a slash and without these schemes may be a malformed scheme, as in
        // "tls:/host": the connection must not do without TLS then.
        return !server.isEmpty && !server.contains("/")
            && !server.contains(where: \.isWhitespace)
    }

    /// Whether connections use TLS: also those to `nats://` servers, if one server is a `tls://`
    /// server.
    var usesTLS: Bool { tls != nil || servers.contains { $0.hasPrefix(Self.encrypted) } }

    private static let plain = "nats://"
    private static let encrypted = "tls://"
}
#endif
