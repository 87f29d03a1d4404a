// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The user and password, or the token, in a server's address: `nats://user:password@host`.
///
/// Characters with a meaning in addresses are escaped as in all URLs, `%40` for `@`. libnats does
/// not unescape: it looks for the last `@` and for the first `:`. So it is given the decoded
/// address.
enum ServerCredentials {
    /// An address for libnats.
    struct Decoded {
        let address: String
        /// The password or token, decoded.
        let secret: String
    }

    /// Returns the address with its user and password decoded; nil when it has none.
    ///
    /// - Throws: An error when the escapes are malformed, or when libnats can't send the text. The
    ///   error names only the server.
    static func decoded(_ address: String) throws -> Decoded? {
        guard let (scheme, text, host) = split(address) else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = try parts.map { part in
            guard let text = decode(part) else {
                throw NATSError(
                    "the user, password or token in the address of \(NATSOptions.name(ofServer: address)) "
                        + "has a % without two hexadecimal digits behind it, or stands for bytes that "
                        + "are no UTF-8: write % as %25")
            }
            try check(
                text,
                "the user, password or token in the address of \(NATSOptions.name(ofServer: address))"
            )
            return text
        }
        if texts[0].contains(":") {
            throw NATSError(
                "the user or token in the address of \(NATSOptions.name(ofServer: address)) has a colon: "
                    + "give it in NATSOptions.credentials, or in NATS_USER or NATS_TOKEN, in place of the "
                    + "address")
        }
        return Decoded(
            address: scheme + texts.joined(separator: ":") + "@" + host,
            secret: texts[texts.count - 1])
    }

    /// Checks whether libnats can send a user, a password or a token. libnats (3.4.1) puts the text
    /// between quotation marks into JSON, and escapes nothing.
    ///
    /// - Parameter what: the name of the text in the error.
    static func check(_ text: String, _ what: String) throws {
        if isSendable(text) { return }
        throw NATSError(
            "\(what) has a quotation mark, a backslash or a control character, which libnats can't send: "
                + "choose one without")
    }

    static func isSendable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Returns the secrets in an address, which must never be printed: as written and decoded.
    static func secrets(in address: String) -> [String] {
        guard let (_, text, _) = split(address) else { return [] }
        let secret = text.firstIndex(of: ":").map { text[text.index(after: $0)...] } ?? text
        return [String(secret), decode(secret)].compactMap { $0 }
    }

    private static func split(
        _ address: String
    ) -> (scheme: String, credentials: Substring, host: Substring)? {
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        guard let end = address[start...].lastIndex(of: "@") else { return nil }
        let host = address[address.index(after: end)...]
        return (String(address[..<start]), address[start..<end], host)
    }

    /// Returns the unescaped text; nil for a `%` without two hexadecimal digits and for bytes that
    /// are not UTF-8.
    private static func decode(_ text: Substring) -> String? { SubjectMap.unescape(text) }
}
#endif
