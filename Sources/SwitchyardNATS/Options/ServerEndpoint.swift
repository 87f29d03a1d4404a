// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A server's address in parts: where the server is, and who this process is to it.
struct ServerEndpoint: Sendable {
    /// A name or an IP address; without brackets.
    let host: String
    let port: UInt16
    /// The user and password, or the token, decoded, as libnats wants them in an address; nil for
    /// none.
    var credentials: String?

    /// Host and port, as servers name each other.
    var hostAndPort: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension NATSOptions {
    /// Returns the servers' addresses in parts.
    ///
    /// - Throws: An error when an address is malformed. It shows no secret.
    func endpoints() throws -> [ServerEndpoint] {
        guard !servers.isEmpty else {
            throw NATSError("no server is given: name one, such as nats://127.0.0.1:4222")
        }
        var endpoints = try servers.indices.map { try endpoint(at: $0) }
        // The first credentials hold for addresses without any, as in libnats: for those of servers
        // that other servers have named.
        if !namesUser, let first = endpoints.lazy.compactMap(\.credentials).first {
            for index in endpoints.indices where endpoints[index].credentials == nil {
                endpoints[index].credentials = first
            }
        }
        return endpoints
    }

    /// Whether ``credentials`` have a user or a token.
    private var namesUser: Bool {
        switch credentials {
        case .user, .token: true
        case .file, .files, nil: false
        }
    }

    private func endpoint(at index: Int) throws -> ServerEndpoint {
        let address = try ServerCredentials.decoded(servers[index])?.address ?? servers[index]
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        var place = address[start...]
        var credentials: String?
        if let end = place.lastIndex(of: "@") {
            credentials = String(place[..<end])
            place = place[place.index(after: end)...]
        }
        place = place.prefix { $0 != "/" }
        var port: UInt16? = 4222
        let closing = place.lastIndex(of: "]") ?? place.startIndex
        if let colon = place[closing...].lastIndex(of: ":") {
            let digits = place[place.index(after: colon)...]
            if !digits.isEmpty { port = UInt16(digits) }
            place = place[..<colon]
        }
        guard let port, port > 0 else {
            throw NATSError(
                "the address of NATS server \(index + 1) of \(servers.count) has a port that is no "
                    + "number from 1 to 65535: write nats://host:4222 (in a password, a comma is "
                    + "written %2C)")
        }
        if place.hasPrefix("["), place.hasSuffix("]") { place = place.dropFirst().dropLast() }
        return ServerEndpoint(
            host: place.isEmpty ? "localhost" : String(place), port: port,
            credentials: credentials?.isEmpty == true ? nil : credentials)
    }
}
#endif
