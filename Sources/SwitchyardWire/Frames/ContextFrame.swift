// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What a notification takes along beside its payload: texts by keys, in a frame right before it.
///
/// The frame names the notification's number: of the two, the notification alone may be dropped.
package struct ContextFrame: Equatable, Sendable {
    /// The most bytes of a frame's body. A context that takes more is left out.
    package static let longest = 8192

    /// The number of the notification that it belongs to.
    package let sequence: UInt64
    package let fields: [String: String]

    package init(sequence: UInt64, fields: [String: String]) {
        self.sequence = sequence
        self.fields = fields
    }

    /// Reads the body of a frame; nil if it is malformed.
    package init?(_ body: UnsafeRawBufferPointer) {
        guard body.count <= Self.longest else { return nil }
        var reader = ByteReader(body)
        var fields: [String: String] = [:]
        do {
            sequence = try reader.readUInt64()
            for _ in 0..<(try reader.readUInt16()) {
                let key = try reader.shortString()
                fields[key] = try reader.shortString()
            }
        } catch {
            return nil
        }
        self.fields = fields
    }

    /// Writes the frame, unless it would be too long.
    ///
    /// - Returns: Whether it was written.
    package func write(to writer: inout ByteWriter) -> Bool {
        let size = fields.reduce(10) { $0 + 4 + $1.key.utf8.count + $1.value.utf8.count }
        guard size <= Self.longest else { return false }
        writer.frame(.context) { writer in
            writer.append(sequence)
            writer.append(UInt16(truncatingIfNeeded: fields.count))
            for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
                writer.append(short: key)
                writer.append(short: value)
            }
        }
        return true
    }
}
