// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The decoder of one value.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
    let reading: JSONReading
    /// The index of the value on the tape.
    let index: Int

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Empty: whoever asks gets the answer from Foundation.
    var codingPath: [any CodingKey] {
        _ = reading.beyond()
        return []
    }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try JSONObjectDecoder(reading, index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try JSONArrayDecoder(reading, index)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { reading.tape[index].kind == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try reading.bool(at: index) }
    func decode(_ type: String.Type) throws -> String { try reading.string(at: index) }
    func decode(_ type: Double.Type) throws -> Double { try reading.double(at: index) }
    func decode(_ type: Float.Type) throws -> Float { try reading.float(at: index) }
    func decode(_ type: Int.Type) throws -> Int { try reading.integer(at: index) }
    func decode(_ type: Int8.Type) throws -> Int8 { try reading.integer(at: index) }
    func decode(_ type: Int16.Type) throws -> Int16 { try reading.integer(at: index) }
    func decode(_ type: Int32.Type) throws -> Int32 { try reading.integer(at: index) }
    func decode(_ type: Int64.Type) throws -> Int64 { try reading.integer(at: index) }
    func decode(_ type: Int128.Type) throws -> Int128 { try reading.integer(at: index) }
    func decode(_ type: UInt.Type) throws -> UInt { try reading.integer(at: index) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try reading.integer(at: index) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try reading.integer(at: index) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try reading.integer(at: index) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try reading.integer(at: index) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try reading.integer(at: index) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try reading.decode(type, at: index)
    }
}
