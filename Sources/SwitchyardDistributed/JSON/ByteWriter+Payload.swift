// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

extension ByteWriter {
    /// Appends what a payload carries, as JSON; bytes that only two programs know as Base64.
    ///
    /// - Throws: when it is malformed; nothing is appended then.
    package mutating func append(json payload: UnsafeRawBufferPointer, _ kind: PayloadKind) throws {
        switch kind {
        case .none: append("null")
        case .propertyList: try PropertyListText.append(payload, to: &self)
        case .json:
            // Written anew: what somebody sent may be no JSON, or go over many lines.
            let value = try JSONSerialization.jsonObject(
                with: Data(payload), options: .fragmentsAllowed)
            let line = try JSONSerialization.data(
                withJSONObject: value,
                options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
            line.withUnsafeBytes { append(escapingControls: $0) }
        case .bytes:
            append(UInt8(ascii: "{"))
            append(quoted: DistributedNotificationCenter.dataKey)
            append(UInt8(ascii: ":"))
            append(quoted: Data(payload).base64EncodedString())
            append(UInt8(ascii: "}"))
        }
    }
}
