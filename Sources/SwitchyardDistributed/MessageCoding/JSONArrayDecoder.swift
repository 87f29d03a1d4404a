// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The decoder of an array's items.
struct JSONArrayDecoder: UnkeyedDecodingContainer {
    private let reading: JSONReading
    /// The index of the next item on the tape.
    private var next: Int
    private let items: Int
    private(set) var currentIndex = 0

    init(_ reading: JSONReading, _ array: Int) throws {
        let entry = reading.tape[array]
        guard entry.kind == .array else { throw reading.beyond() }
        self.reading = reading
        items = Int(entry.end)
        next = array + 1
    }

    /// Empty: whoever asks gets the answer from Foundation.
    var codingPath: [any CodingKey] {
        _ = reading.beyond()
        return []
    }

    var count: Int? { items }
    var isAtEnd: Bool { currentIndex == items }

    /// Decodes the next item, and goes on to the one behind it.
    @inline(__always)
    private mutating func item<Value>(_ decode: (JSONReading, Int) throws -> Value) throws -> Value
    {
        if isAtEnd { throw reading.beyond() }
        let value = try decode(reading, next)
        currentIndex += 1
        next = Int(reading.tape[next].next)
        return value
    }

    mutating func decodeNil() throws -> Bool {
        if isAtEnd { throw reading.beyond() }
        guard reading.tape[next].kind == .null else { return false }
        return try item { _, _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try item { try $0.bool(at: $1) } }
    mutating func decode(_ type: String.Type) throws -> String {
        try item { try $0.string(at: $1) }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        try item { try $0.double(at: $1) }
    }
    mutating func decode(_ type: Float.Type) throws -> Float { try item { try $0.float(at: $1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try item { try $0.integer(at: $1) }
    }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try item { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try item { try $0.integer(at: $1) }
    }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try item { try $0.integer(at: $1) }
    }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try item { try $0.integer(at: $1) }
    }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try item { try $0.integer(at: $1) }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try item { try $0.decode(type, at: $1) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try item { KeyedDecodingContainer(try JSONObjectDecoder<NestedKey>($0, $1)) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try item { try JSONArrayDecoder($0, $1) }
    }

    mutating func superDecoder() throws -> any Decoder { throw reading.beyond() }
}
