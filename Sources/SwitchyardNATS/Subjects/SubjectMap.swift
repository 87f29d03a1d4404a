// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// The mapping between names and objects of a domain and NATS subjects.
///
/// A notification's subject is `switchyard.DOMAIN.OBJECT.NAME`. The dots in the name are the
/// subject's separators, so that the server filters by name, by object, by both and by the
/// beginning of a name:
///
/// | observed | subject |
/// |---|---|
/// | a name, whatever the object | `switchyard.default.*.org.example.Saved` |
/// | a name about an object | `switchyard.default.text.org.example.Saved` |
/// | everything about an object | `switchyard.default.text.>` |
/// | names that begin with `org.example.` | `switchyard.default.*.org.example.>` |
///
/// The object token `-` stands for no object. Spaces, control characters and characters with a
/// meaning in subjects are escaped as in URLs (`%2E`). An empty part is written `%`, which no other
/// part becomes.
struct SubjectMap: Sendable {
    /// The prefix of all subjects of the domain, with the dot at its end.
    let root: String

    init(domain: String) { root = "switchyard." + Self.token(domain) + "." }

    /// The subject of messages without a content, which are no notifications. Nobody observes them,
    /// and who observes everything passes them over.
    var empty: String { root + "-" }

    /// Returns the subject under which a notification is published.
    func subject(name: String, object: String?) -> String {
        root + Self.token(ofObject: object) + "." + Self.tokens(of: name)
    }

    /// Returns the subject pattern to subscribe to for an interest.
    func pattern(for interest: DistributedInterest) -> String {
        guard let name = interest.name else {
            return root + (interest.object.map { Self.token(ofObject: $0) + "." } ?? "") + ">"
        }
        let object = interest.object.map { Self.token(ofObject: $0) } ?? "*"
        return root + object + "." + Self.tokens(of: name)
    }

    /// The longest subject, in bytes. A server ends the connection at a line of more than 4,096
    /// bytes, and a line holds more than the subject.
    static let longest = 3_900

    /// Returns the name and object of a subject; nil if it is not the subject of a notification of
    /// this domain.
    func parse(_ subject: String) -> (name: String, object: String?)? {
        guard let tokens = rest(of: subject)?.tokensOfSubject(), tokens.count > 1 else {
            return nil
        }
        var texts: [String] = []
        for token in tokens {
            guard let text = Self.text(of: token) else { return nil }
            texts.append(text)
        }
        return (texts.dropFirst().joined(separator: "."), tokens[0] == "-" ? nil : texts[0])
    }

    /// Whether a subject is that of messages without a content, or of notifications by which
    /// centers talk to each other, which observers never get.
    func isForCenters(_ subject: String) -> Bool {
        if subject == empty { return true }
        // Most subjects are told apart by their ends.
        guard [".latest", ".request", ".answer"].contains(where: subject.hasSuffix) else {
            return false
        }
        return parse(subject).map { DistributedInterest(name: $0.name, object: nil).isForCenters }
            ?? false
    }

    /// Returns the interest that a pattern stands for; nil if it is not a pattern of this domain.
    func interest(of pattern: String) -> DistributedInterest? {
        guard let rest = rest(of: pattern) else { return nil }
        if rest == ">" { return DistributedInterest(name: nil, object: nil) }
        let parts = rest.tokensOfSubject(atMost: 2)
        guard parts.count == 2 else { return nil }
        let object = parts[0] == "*" ? nil : Self.text(of: parts[0])
        if parts[1] == ">" { return DistributedInterest(name: nil, object: object) }
        return parse(root + "-." + parts[1]).map {
            DistributedInterest(name: $0.name, object: object)
        }
    }

    /// The part of a subject behind the root; nil if it has another root. Looks at bytes: a dot and
    /// a combining mark behind it are one character.
    private func rest(of subject: String) -> Substring? {
        guard subject.utf8.starts(with: root.utf8) else { return nil }
        return Substring(subject.utf8.dropFirst(root.utf8.count))
    }

    // MARK: - Tokens

    private static func token(ofObject object: String?) -> String {
        guard let object else { return "-" }
        return object == "-" ? "%2D" : token(object)
    }

    private static func tokens(of name: String) -> String {
        name.split(separator: ".", omittingEmptySubsequences: false)
            .map { token($0) }.joined(separator: ".")
    }

    /// Returns the text as one token, escaped if necessary.
    static func token(_ text: some StringProtocol) -> String {
        if text.isEmpty { return "%" }
        if text.utf8.allSatisfy({ !isSpecial($0) }) { return String(text) }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isSpecial(byte) { bytes += escape(byte) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F: true
        case UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: ">"), UInt8(ascii: "%"): true
        default: false
        }
    }

    /// Returns a byte's escape, three characters as in URLs.
    static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Returns the text of a token; nil when the token is malformed.
    static func text(of token: some StringProtocol) -> String? {
        if token == "%" { return "" }
        if token.isEmpty { return nil }
        return unescape(token)
    }

    /// Unescapes a text that is escaped as in URLs; nil when it is malformed.
    static func unescape(_ text: some StringProtocol) -> String? {
        if !text.utf8.contains(UInt8(ascii: "%")) { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The tokens of a subject, which dots separate, at most so many: the last has the rest. Looks
    /// at bytes, as servers do.
    func tokensOfSubject(atMost most: Int = .max) -> [Substring] {
        Substring(self).utf8.split(
            separator: UInt8(ascii: "."), maxSplits: most - 1, omittingEmptySubsequences: false
        ).map { Substring($0) }
    }
}
#endif
