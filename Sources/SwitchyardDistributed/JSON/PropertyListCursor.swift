// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// Reads an encoded property list value by value, and builds nothing.
///
/// The bytes may come from anybody. Each item that is returned was checked against the bytes that
/// are there, except that strings may not be UTF-8.
struct PropertyListCursor {
    /// The next value, or the beginning of a container. Pointers are valid for as long as the
    /// cursor's bytes are.
    enum Item {
        case bool(Bool)
        case int(Int64)
        case uint(UInt64)
        case double(Double)
        case float(Float)
        case string(UnsafeRawBufferPointer)
        case data(UnsafeRawBufferPointer)
        /// Seconds since the beginning of 2001.
        case date(Double)
        /// An array of this number of values, which follow.
        case array(Int)
        /// A dictionary of this number of entries, which follow: a ``key()`` and a value each.
        case dictionary(Int)
    }

    private var reader: ByteReader

    init(_ bytes: UnsafeRawBufferPointer) { reader = ByteReader(bytes) }

    /// Reads a value, or the beginning of an array or dictionary.
    mutating func next() throws(MalformedBytes) -> Item {
        let start = reader
        guard let tag = PropertyListTag(rawValue: try reader.readUInt8()) else {
            throw start.malformed(expected: "a property list's tag")
        }
        switch tag {
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .int8: return .int(Int64(Int8(bitPattern: try reader.readUInt8())))
        case .int16: return .int(Int64(Int16(bitPattern: try reader.readUInt16())))
        case .int32: return .int(Int64(Int32(bitPattern: try reader.readUInt32())))
        case .int, .int64: return .int(Int64(bitPattern: try reader.readUInt64()))
        case .uint8: return .uint(UInt64(try reader.readUInt8()))
        case .uint16: return .uint(UInt64(try reader.readUInt16()))
        case .uint32: return .uint(UInt64(try reader.readUInt32()))
        case .uint, .uint64: return .uint(try reader.readUInt64())
        case .double: return .double(Double(bitPattern: try reader.readUInt64()))
        case .float: return .float(Float(bitPattern: try reader.readUInt32()))
        case .string: return .string(try key())
        case .data: return .data(try key())
        case .date: return .date(Double(bitPattern: try reader.readUInt64()))
        case .array: return .array(try reader.readCount())
        case .dictionary: return .dictionary(try reader.readCount(ofSize: 5))
        }
    }

    /// Reads a dictionary's key.
    mutating func key() throws(MalformedBytes) -> UnsafeRawBufferPointer {
        try reader.readBytes(count: try reader.readCount())
    }

    func expectEnd() throws(MalformedBytes) { try reader.expectEnd() }

    /// Returns an error that says what was expected at this position.
    func malformed(expected: String) -> MalformedBytes { reader.malformed(expected: expected) }
}
