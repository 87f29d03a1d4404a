// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

/// An error in an answer of JetStream, with JetStream's code and text.
struct JetStreamRefusal: Error, CustomStringConvertible {
    let code: Int
    let description: String

    static let noStream = 10059
    static let noConsumer = 10014
    static let consumerExists = 10013
    static let noMessage = 10037
    /// There is no message to delete under this number: it was deleted before.
    static let noSequence = 10043
    /// A message could not be deleted, for a reason that the text gives.
    static let deleteFailed = 10057
    static let streamExists = 10058
    static let tooLong = 10054
    static let otherStream = 10060
    static let notEnabledForAccount = 10039
    static let notEnabled = 10076

    static let noJetStream =
        "the server has no JetStream, or it is not ready: durable observers need it (nats-server -js)"

    /// Whether this is the answer to a deletion of what is not there any more.
    var isAboutNothing: Bool {
        [Self.noSequence, Self.noStream, Self.noMessage].contains(code)
            || code == Self.deleteFailed && description.contains("no message found")
    }

    /// - Returns: The answer's JSON object.
    /// - Throws: A ``JetStreamRefusal`` when the answer is an error.
    static func check(_ answer: [UInt8]) throws -> [String: Any] {
        guard
            let object = try? JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        else { throw NATSError("JetStream's answer is no JSON object") }
        guard let error = object["error"] as? [String: Any] else { return object }
        throw JetStreamRefusal(
            code: error["err_code"] as? Int ?? 0,
            description: error["description"] as? String ?? "an error without words")
    }
}
#endif
