// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

/// A line of the wire: a JSON object with one key, which names the kind of line.
///
/// `{"question":{"number":7}}` for example. The coding is the one that the compiler writes.
enum WireLine: Codable, Sendable {
    /// The first line of each process: its own description, and its observers so far.
    case hello(id: String, process: Int32, name: String, interests: [WireInterest])
    /// The process has begun, or ceased, to observe something.
    case interest(WireInterest, isObserved: Bool)
    /// A notification, with its number among those that the process has sent.
    case notification(WireNotification, number: UInt64)
    /// The other process answers this as soon as it has read all lines before.
    case question(number: UInt64)
    case answer(number: UInt64)

    /// Reads a line that may hold anything.
    init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(WireLine.self, from: json)
        } catch let error as DecodingError {
            throw WireError("it is no line of this protocol: \(String(reflecting: error))")
        }
    }

    /// The line with its end. The encoder puts no line break inside.
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self) + Data([UInt8(ascii: "\n")])
        }
    }
}

/// Something that a process observes, as it travels.
struct WireInterest: Codable, Sendable {
    var name: String?
    var object: String?

    init(_ interest: DistributedInterest) { (name, object) = (interest.name, interest.object) }

    var interest: DistributedInterest { DistributedInterest(name: name, object: object) }
}

/// A notification, as it travels.
struct WireNotification: Codable, Sendable {
    var name: String
    var object: String?
    /// The number of the payload's format. Without it, the other end could not tell a typed message
    /// from a dictionary.
    var format: UInt8
    /// The payload's bytes, which the encoder writes as base64: they need not be text.
    var payload: Data
    var isImmediate: Bool
    var context: [String: String]
    var keptAt: UInt64?

    init(_ notification: OutgoingNotification) {
        name = notification.name
        object = notification.object
        format = notification.payload.format.rawValue
        payload = Data(notification.payload.bytes)
        isImmediate = notification.deliversImmediately
        context = notification.context
        keptAt = notification.keptAt
    }

    /// Returns the notification for the intake.
    ///
    /// - Throws: An error if this version does not know the payload's format.
    func incoming(from peer: DistributedPeer, number: UInt64) throws -> IncomingNotification {
        IncomingNotification(
            name: name, object: object,
            payload: try DistributedPayload(
                encoded: Array(payload), as: DistributedPayload.Format(rawValue: format)),
            deliversImmediately: isImmediate, sender: peer, sequence: number, context: context,
            keptAt: keptAt)
    }
}

/// A fault in what the other process has sent.
struct WireError: Error, CustomStringConvertible {
    let description: String

    /// Control characters are left out: the text may have words of the other process, and a
    /// terminal would obey them.
    init(_ text: String) {
        description = String(text.filter { !$0.unicodeScalars.contains(where: Self.isControl) })
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }
}
