// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import SwitchyardCore

/// The coders of typed messages.
///
/// Messages are JSON as Foundation reads and writes it. What they mostly consist of is read and
/// written here (``JSONReading``, ``JSONWriting``), because Foundation takes several times as long;
/// everything else is Foundation's, errors included.
enum JSONCoding {
    private static let encoder = JSONEncoder()
    private static let decoder = JSONDecoder()

    private static let reading = Spare<JSONReading>()
    private static let writing = Spare<JSONWriting>()

    /// The most bytes that are kept for the next message.
    private static let mostKept = 64 * 1024

    /// Decodes a message.
    ///
    /// - Throws: The error of Foundation's decoder, with the number that did not fit its property, if
    ///   that is the reason.
    static func decode<Message: Decodable>(
        _ type: Message.Type, from json: UnsafeRawBufferPointer
    ) throws -> Message {
        var reading = reading.take() ?? JSONReading()
        var misfit: DecodingError.Context?
        if reading.begin(json) {
            let message = Result { try Message(from: JSONValueDecoder(reading: reading, index: 0)) }
            // A message that keeps its decoder may ask it for more, which may be Foundation's.
            if isKnownUniquelyReferenced(&reading) {
                let isBeyond = reading.isBeyond
                if case .failure(let error as JSONReading.NumberMisfit) = message {
                    misfit = reading.context(of: error)
                }
                if reading.size <= mostKept { self.reading.keep(consume reading) }
                if case .success(let message) = message, !isBeyond { return message }
            }
        }
        do {
            return try decoder.decode(type, from: Data(json))
        } catch DecodingError.dataCorrupted(let context) where saysNothing(context) {
            throw DecodingError.dataCorrupted(misfit ?? context)
        }
    }

    /// Whether Foundation only says that JSON is not valid, as it does for a number that does not
    /// fit its property.
    private static func saysNothing(_ context: DecodingError.Context) -> Bool {
        context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON")
    }

    /// Encodes a message.
    ///
    /// - Throws: The error of Foundation's encoder.
    static func encode(_ message: some Encodable) throws -> [UInt8] {
        var writing = writing.take() ?? JSONWriting()
        let bytes = writing.encode(message)
        if isKnownUniquelyReferenced(&writing), writing.size <= mostKept {
            self.writing.keep(consume writing)
        }
        return try bytes ?? Array(encoder.encode(message))
    }

    /// Returns Foundation's description of a JSON error, without the rest of the error.
    static func words(for error: any Error) -> String {
        if error is DecodingError || error is EncodingError { return "\(error)" }
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return "\(error)" }
        return error.userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
    }
}
