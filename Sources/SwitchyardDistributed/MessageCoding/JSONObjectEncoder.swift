// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The encoder of an object's members.
struct JSONObjectEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writing: JSONWriting
    /// The number of the object's level.
    let number: Int

    /// The path, which is always empty here: reading it has Foundation, which knows the path,
    /// encode the message anew.
    var codingPath: [any CodingKey] {
        writing.beyond()
        return []
    }

    /// Encodes the member with a key.
    @inline(__always)
    private func member(_ key: Key, _ write: (JSONWriting) throws -> Void) rethrows {
        if writing.beginMember(key.stringValue, number) { try write(writing) }
    }

    func encodeNil(forKey key: Key) { member(key) { $0.writeNull() } }
    func encode(_ value: Bool, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: String, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Double, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Float, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Int, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Int8, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Int16, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Int32, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Int64, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: Int128, forKey key: Key) { writing.beyond() }
    func encode(_ value: UInt, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: UInt8, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: UInt16, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: UInt32, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: UInt64, forKey key: Key) { member(key) { $0.write(value) } }
    func encode(_ value: UInt128, forKey key: Key) { writing.beyond() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try member(key) { try $0.write(any: value) }
    }

    // Further containers, which may be written to beside this one. Foundation encodes the message
    // anew when it asks for one; these have no level, so values that are written to them are
    // dropped.
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(
            JSONObjectEncoder<NestedKey>(writing: writing, number: writing.noLevel()))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONArrayEncoder(writing: writing, number: writing.noLevel())
    }

    func superEncoder() -> any Encoder {
        JSONValueEncoder(writing: writing, number: writing.noLevel())
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}
