// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
public import Foundation
internal import Switchyard
public import SwitchyardCore

/// An error of the NATS transport.
public struct NATSError: SwitchyardError, LocalizedError {
    /// The reason of an error. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// Any other error.
        public static let other = Code(description: "other")
        /// No server can be reached.
        public static let noServer = Code(description: "noServer")
        /// A server takes a connection, and then does not answer in time
        /// (``NATSOptions/connectTimeout``).
        public static let noAnswer = Code(description: "noAnswer")
        /// The server does not accept the credentials, or asks for credentials and was given none.
        public static let wrongCredentials = Code(description: "wrongCredentials")
        /// There is no connection now; there may be one later.
        public static let noConnection = Code(description: "noConnection")
        /// A message is longer than the server allows.
        public static let tooLong = Code(description: "tooLong")
        /// Another process already observes under the name of a durable observer.
        public static let nameIsTaken = Code(description: "nameIsTaken")
        /// The name of a durable observer stands for another name or object.
        public static let nameIsUsedOtherwise = Code(description: "nameIsUsedOtherwise")
        /// The server has no JetStream, or JetStream is not ready.
        public static let noJetStream = Code(description: "noJetStream")
        /// The account has no permission.
        public static let notAllowed = Code(description: "notAllowed")
    }

    /// The reason of the error.
    public let code: Code
    /// A text that says what is wrong and what to do.
    public let description: String

    /// Whether the error is that no server can be reached.
    var isNoServer: Bool { code == .noServer }
    /// Whether the error is a message longer than the server allows.
    var isTooLong: Bool { code == .tooLong }

    init(_ description: String, code: Code = .other) {
        self.description = description
        self.code = code
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
        case NATS_NO_SERVER: code = .noServer
        case NATS_MAX_PAYLOAD: code = .tooLong
        case NATS_CONNECTION_AUTH_FAILED: code = .wrongCredentials
        default: code = .other
        }
        description = "could not \(action): \(text)" + advice
    }

    /// Returns this error with its description replaced by `change(description)`.
    func changed(_ change: (String) -> String) -> NATSError {
        NATSError(change(description), code: code)
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
