// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
package import SwitchyardWire

extension ByteWriter {
    /// Appends a payload as JSON: posted bytes as Base64.
    ///
    /// - Throws: An error if the payload is malformed; nothing is appended then.
    package mutating func append(json payload: UnsafeRawBufferPointer, _ kind: PayloadKind) throws {
        switch kind {
        case .none: append("null")
        case .propertyList:
            guard payload.first == PropertyListTag.dictionary.rawValue else {
                throw MalformedBytes(at: 0, expected: "a dictionary")
            }
            try PropertyListText.append(payload, to: &self)
        case .json:
            // Written anew, because the received bytes may not be JSON, or may span several lines.
            try JSONDepth.check(payload)
            let value: Any
            do {
                value = try JSONSerialization.jsonObject(
                    with: Data(payload), options: .fragmentsAllowed)
            } catch {
                throw MalformedInput("it is not JSON: \(JSONCoding.words(for: error))")
            }
            let line = try JSONSerialization.data(
                withJSONObject: value,
                options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
            line.withUnsafeBytes { append(escapingControls: $0) }
        case .bytes:
            append(UInt8(ascii: "{"))
            append(quoted: DistributedPayload.dataKey)
            append(UInt8(ascii: ":"))
            append(quoted: Data(payload).base64EncodedString())
            append(UInt8(ascii: "}"))
        }
    }
}
