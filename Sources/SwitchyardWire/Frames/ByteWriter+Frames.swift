// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension ByteWriter {
    /// Writes a frame: its length, its type, and the bytes that `body` writes.
    @inlinable package mutating func frame(_ type: FrameType, _ body: (inout ByteWriter) -> Void) {
        let start = count
        append(UInt32(0))
        append(type.rawValue)
        body(&self)
        patch(UInt32(truncatingIfNeeded: count - start - WireFormat.lengthBytes), at: start)
    }

    /// Writes a frame whose body is a number.
    @inlinable package mutating func frame(_ type: FrameType, _ number: UInt64) {
        frame(type) { $0.append(number) }
    }

    /// Writes BYE, with the reason why the connection is ended.
    @inlinable package mutating func bye(_ reason: String) {
        frame(.bye) { $0.append(short: reason) }
    }

    /// Writes a text of at most 65,535 bytes, with its length before it. A longer text is cut off.
    @usableFromInline package mutating func append(short text: String) {
        let text = text.beginningOfShortText
        append(UInt16(truncatingIfNeeded: text.utf8.count))
        append(string: text)
    }
}

extension String {
    /// As much of the text as `ByteWriter.append(short:)` writes.
    package var beginningOfShortText: String {
        var text = self
        while text.utf8.count > Int(UInt16.max) { text.removeLast(text.count / 2 + 1) }
        return text
    }
}

extension ByteReader {
    /// Reads a text that `ByteWriter.append(short:)` wrote.
    package mutating func shortString() throws -> String {
        try readString(count: Int(try readUInt16()))
    }
}
