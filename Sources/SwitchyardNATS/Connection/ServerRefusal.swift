// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// A server's refusal of a publication or a subscription for which the account has no permission:
/// `Permissions Violation for Publish to "some.subject"`.
struct ServerRefusal: Equatable {
    /// Whether a subscription was refused; false for a publication.
    let isSubscription: Bool
    let subject: String

    /// - Parameter text: a server's error. The result is nil if the error is not about permissions.
    init?(_ text: String) {
        let lowercased = text.lowercased()
        guard lowercased.contains("permissions violation"), let start = text.firstIndex(of: "\"")
        else {
            return nil
        }
        isSubscription = lowercased.contains("subscription to")
        subject = Self.unquoted(text[text.index(after: start)...])
    }

    /// Reads a text up to its closing quote. The server writes quotes, backslashes and characters
    /// that can't be printed as Go's `%q` does.
    private static func unquoted(_ quoted: Substring) -> String {
        var (result, rest) = (String.UnicodeScalarView(), quoted.unicodeScalars)
        while let next = rest.popFirst(), next != "\"" {
            guard next == "\\", let escaped = rest.popFirst() else {
                result.append(next)
                continue
            }
            switch escaped {
            case "a": result.append("\u{7}")
            case "b": result.append("\u{8}")
            case "f": result.append("\u{c}")
            case "n": result.append("\n")
            case "r": result.append("\r")
            case "t": result.append("\t")
            case "v": result.append("\u{b}")
            case "x": result.append(takeScalar(ofDigits: 2, &rest))
            case "u": result.append(takeScalar(ofDigits: 4, &rest))
            case "U": result.append(takeScalar(ofDigits: 8, &rest))
            default: result.append(escaped)
            }
        }
        return String(result)
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
