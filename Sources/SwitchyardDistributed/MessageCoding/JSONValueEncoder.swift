// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The encoder of one value.
struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
    let writing: JSONWriting
    /// The number of the value's level.
    let number: Int

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Empty: whoever asks gets the answer from Foundation.
    var codingPath: [any CodingKey] {
        writing.beyond()
        return []
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writing.beginObject(number)
        return KeyedEncodingContainer(JSONObjectEncoder(writing: writing, number: number))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writing.beginArray(number)
        return JSONArrayEncoder(writing: writing, number: number)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Encodes the value, if it is the first.
    @inline(__always)
    private func value(_ write: (JSONWriting) throws -> Void) rethrows {
        if writing.beginValue(number) { try write(writing) }
    }

    func encodeNil() { value { $0.writeNull() } }
    func encode(_ value: Bool) { self.value { $0.write(value) } }
    func encode(_ value: String) { self.value { $0.write(value) } }
    func encode(_ value: Double) { self.value { $0.write(value) } }
    func encode(_ value: Float) { self.value { $0.write(value) } }
    func encode(_ value: Int) { self.value { $0.write(value) } }
    func encode(_ value: Int8) { self.value { $0.write(value) } }
    func encode(_ value: Int16) { self.value { $0.write(value) } }
    func encode(_ value: Int32) { self.value { $0.write(value) } }
    func encode(_ value: Int64) { self.value { $0.write(value) } }
    func encode(_ value: Int128) { writing.beyond() }
    func encode(_ value: UInt) { self.value { $0.write(value) } }
    func encode(_ value: UInt8) { self.value { $0.write(value) } }
    func encode(_ value: UInt16) { self.value { $0.write(value) } }
    func encode(_ value: UInt32) { self.value { $0.write(value) } }
    func encode(_ value: UInt64) { self.value { $0.write(value) } }
    func encode(_ value: UInt128) { writing.beyond() }
    func encode<Value: Encodable>(_ value: Value) throws {
        try self.value { try $0.write(any: value) }
    }
}
