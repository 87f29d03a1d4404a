// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The decoder of an object's members.
struct JSONObjectDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let reading: JSONReading
    /// The index of the object on the tape.
    private let object: Int

    init(_ reading: JSONReading, _ object: Int) throws {
        guard reading.tape[object].kind == .object, !reading.mayHaveTwins(in: object) else {
            throw reading.beyond()
        }
        self.reading = reading
        self.object = object
    }

    /// Empty: whoever asks gets the answer from Foundation.
    var codingPath: [any CodingKey] {
        _ = reading.beyond()
        return []
    }

    var allKeys: [Key] { reading.keys(of: object).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    @inline(__always)
    private func find(_ key: Key) -> Int? {
        reading.find(key.stringValue, in: object)
    }

    /// The index of a member's value.
    @inline(__always)
    private func at(_ key: Key) throws -> Int {
        guard let index = find(key) else { throw reading.beyond() }
        return index
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        reading.tape[try at(key)].kind == .null
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try reading.bool(at: at(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try reading.string(at: at(key))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try reading.double(at: at(key))
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try reading.float(at: at(key))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try reading.integer(at: at(key))
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try reading.integer(at: at(key))
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try reading.integer(at: at(key))
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try reading.integer(at: at(key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reading.decode(type, at: at(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(try JSONObjectDecoder<NestedKey>(reading, at(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONArrayDecoder(reading, at(key))
    }

    func superDecoder() throws -> any Decoder { throw reading.beyond() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw reading.beyond() }
}
