// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A server's refusal of a publication or a subscription for which the account has no permission:
/// `Permissions Violation for Publish to "some.subject"`.
///
/// libnats (3.4.1) keeps the first 255 bytes of it, so that of a subject of more than about 210
/// bytes the end is missing.
struct ServerRefusal: Equatable {
    /// Whether a subscription was refused; false for a publication.
    let isSubscription: Bool
    /// The subject, or as much of it as has come.
    let subject: RefusedSubject

    /// - Parameter text: a server's error. The result is nil if the error is not about permissions.
    init?(_ text: String) {
        let lowercased = text.lowercased()
        guard lowercased.contains("permissions violation"), let start = text.firstIndex(of: "\"")
        else {
            return nil
        }
        isSubscription = lowercased.contains("subscription to")
        let (read, isWhole) = Self.unquoted(text[text.index(after: start)...])
        subject = RefusedSubject(text: read, isCut: !isWhole)
    }

    /// Reads a text up to its closing quote. The server writes quotes, backslashes and characters
    /// that can't be printed as Go's `%q` does.
    ///
    /// - Returns: The text, and whether it has a closing quote. If not, a character that was cut is
    ///   left out.
    private static func unquoted(_ quoted: Substring) -> (String, isWhole: Bool) {
        var (result, rest) = (String.UnicodeScalarView(), quoted.unicodeScalars)
        while let next = rest.popFirst() {
            if next == "\"" { return (String(result), true) }
            // The replacement of a character's first bytes.
            if next == "\u{fffd}", rest.isEmpty { break }
            guard next == "\\" else {
                result.append(next)
                continue
            }
            guard let escaped = rest.popFirst() else { break }
            switch escaped {
            case "a": result.append("\u{7}")
            case "b": result.append("\u{8}")
            case "f": result.append("\u{c}")
            case "n": result.append("\n")
            case "r": result.append("\r")
            case "t": result.append("\t")
            case "v": result.append("\u{b}")
            case "x", "u", "U":
                let count = escaped == "x" ? 2 : escaped == "u" ? 4 : 8
                if rest.count < count { return (String(result), false) }
                result.append(takeScalar(ofDigits: count, &rest))
            default: result.append(escaped)
            }
        }
        return (String(result), false)
    }

    private static func takeScalar(
        ofDigits count: Int, _ rest: inout Substring.UnicodeScalarView
    ) -> Unicode.Scalar {
        let digits = String(rest.prefix(count))
        rest = rest.dropFirst(count)
        return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{fffd}"
    }
}
#endif
