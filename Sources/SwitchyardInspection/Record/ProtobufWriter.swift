// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Writes messages in the Protocol Buffers encoding (protobuf.dev, "Encoding").
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ field: Int, _ value: UInt64) {
        tag(field, 0)
        append(value)
    }

    mutating func fixed64(_ field: Int, _ value: UInt64) {
        tag(field, 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func string(_ field: Int, _ text: String) { block(field, Array(text.utf8)) }

    mutating func message(_ field: Int, _ body: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        body(&inner)
        block(field, inner.bytes)
    }

    private mutating func block(_ field: Int, _ content: [UInt8]) {
        tag(field, 2)
        append(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    private mutating func tag(_ field: Int, _ wireType: UInt64) {
        append(UInt64(field) << 3 | wireType)
    }

    private mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
