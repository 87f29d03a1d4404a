// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// What NATS says when something does not work.
public struct NATSError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    /// Whether just nobody is there.
    let isNoServer: Bool

    init(_ description: String) {
        self.description = description
        isNoServer = false
    }

    /// - Parameter action: what was to be done, as in "connect to …".
    init(_ status: natsStatus, _ action: String, advice: String = "") {
        var words =
            natsStatus_GetText(status).map { String(cString: $0) } ?? "error \(status.rawValue)"
        if let detail = nats_GetLastError(nil) {
            let detail = Self.withoutPlace(String(cString: detail))
            if !detail.isEmpty, detail != words { words += ": " + detail }
        }
        isNoServer = status == NATS_NO_SERVER
        description = "could not \(action): \(words)" + advice
    }

    /// libnats begins with the line of its source.
    private static func withoutPlace(_ text: String) -> String {
        guard text.hasPrefix("("), let end = text.firstRange(of: "): ") else { return text }
        return String(text[end.upperBound...])
    }

    /// Throws when `status` is an error.
    static func check(_ status: natsStatus, _ action: @autoclosure () -> String) throws {
        if status != NATS_OK { throw NATSError(status, action()) }
    }
}
#endif
