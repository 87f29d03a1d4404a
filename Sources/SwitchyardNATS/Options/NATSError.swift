// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS

/// An error of the NATS transport.
public struct NATSError: Error, CustomStringConvertible {
    /// A text that says what is wrong and what to do.
    public let description: String

    /// The kinds of errors that callers handle differently.
    enum Kind: Sendable {
        case other
        /// No server can be reached.
        case noServer
        /// A message is longer than the server allows.
        case tooLong
        /// Another process already uses the name of a durable observer.
        case nameIsTaken
        /// The server has no JetStream, or it is not ready.
        case noJetStream
        /// The account has no permission.
        case notAllowed
    }

    let kind: Kind

    /// Whether the error is that no server can be reached.
    var isNoServer: Bool { kind == .noServer }
    /// Whether the error is a message longer than the server allows.
    var isTooLong: Bool { kind == .tooLong }

    init(_ description: String, kind: Kind = .other) {
        self.description = description
        self.kind = kind
    }

    /// - Parameter action: the action that failed, as in "connect to …".
    init(_ status: natsStatus, _ action: String, advice: String = "") {
        var text =
            natsStatus_GetText(status).map { String(cString: $0) } ?? "error \(status.rawValue)"
        if let detail = nats_GetLastError(nil) {
            let detail = Self.withoutPosition(String(cString: detail))
            if !detail.isEmpty, detail != text { text += ": " + detail }
        }
        switch status {
        case NATS_NO_SERVER: kind = .noServer
        case NATS_MAX_PAYLOAD: kind = .tooLong
        default: kind = .other
        }
        description = "could not \(action): \(text)" + advice
    }

    /// Returns the same error with its description replaced by `change(description)`.
    func changed(_ change: (String) -> String) -> NATSError {
        NATSError(change(description), kind: kind)
    }

    /// Removes the source position with which libnats begins its texts.
    private static func withoutPosition(_ text: String) -> String {
        guard text.hasPrefix("("), let end = text.firstRange(of: "): ") else { return text }
        return String(text[end.upperBound...])
    }

    /// Throws an error unless `status` is `NATS_OK`.
    static func check(_ status: natsStatus, _ action: @autoclosure () -> String) throws {
        if status != NATS_OK { throw NATSError(status, action()) }
    }
}
#endif
