// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// How names and objects of a domain become NATS subjects, and back.
///
/// `switchyard.DOMAIN.OBJECT.NAME`, where the dots of the name are those of the subject, so that the
/// server filters by name, by object, by both and by the beginning of a name:
///
/// | observed | subject |
/// |---|---|
/// | a name, whatever the object | `switchyard.default.*.org.example.Saved` |
/// | a name about an object | `switchyard.default.text.org.example.Saved` |
/// | everything about an object | `switchyard.default.text.>` |
/// | names that begin with `org.example.` | `switchyard.default.*.org.example.>` |
///
/// No object is `-`. What has a meaning in a subject, and spaces and control characters, are written as
/// in URLs (`%2E`); an empty part is `%`, which nothing else becomes.
struct SubjectMap: Sendable {
    /// What all subjects of the domain begin with, and the dot behind.
    let root: String

    init(domain: String) { root = "switchyard." + Self.token(domain) + "." }

    /// Where a notification is published.
    func subject(name: String, object: String?) -> String {
        root + Self.token(ofObject: object) + "." + Self.tokens(of: name)
    }

    /// What to subscribe to for an interest.
    func pattern(for interest: DistributedInterest) -> String {
        guard let name = interest.name else {
            return root + (interest.object.map { Self.token(ofObject: $0) + "." } ?? "") + ">"
        }
        let object = interest.object.map { Self.token(ofObject: $0) } ?? "*"
        return root + object + "." + Self.tokens(of: name)
    }

    /// A server takes lines of 4,096 bytes, and the subject is not alone in one; at a longer one it ends
    /// the connection.
    static let longest = 3_900

    /// The name and object of a subject; nil for one that is no notification's of this domain.
    func parse(_ subject: String) -> (name: String, object: String?)? {
        guard subject.hasPrefix(root) else { return nil }
        let tokens = subject.dropFirst(root.count).split(
            separator: ".", omittingEmptySubsequences: false)
        guard tokens.count > 1 else { return nil }
        var texts: [String] = []
        for token in tokens {
            guard let text = Self.text(of: token) else { return nil }
            texts.append(text)
        }
        return (texts.dropFirst().joined(separator: "."), tokens[0] == "-" ? nil : texts[0])
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

    /// One token, whatever the text.
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

    /// Three characters for a byte, as in URLs.
    static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// What a token says; nil when it is malformed.
    static func text(of token: some StringProtocol) -> String? {
        if token == "%" { return "" }
        if token.isEmpty { return nil }
        return unescape(token)
    }

    /// What was escaped as in URLs; nil when it is malformed.
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
#endif
