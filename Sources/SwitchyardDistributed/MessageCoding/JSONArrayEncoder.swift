// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The encoder of an array's items.
struct JSONArrayEncoder: UnkeyedEncodingContainer {
    let writing: JSONWriting
    /// The number of the array's level.
    let number: Int

    /// Empty: whoever asks gets the answer from Foundation.
    var codingPath: [any CodingKey] {
        writing.beyond()
        return []
    }

    var count: Int { writing.items(number) }

    /// Encodes the next item.
    @inline(__always)
    private func item(_ write: (JSONWriting) throws -> Void) rethrows {
        if writing.beginItem(number) { try write(writing) }
    }

    func encodeNil() { item { $0.writeNull() } }
    func encode(_ value: Bool) { item { $0.write(value) } }
    func encode(_ value: String) { item { $0.write(value) } }
    func encode(_ value: Double) { item { $0.write(value) } }
    func encode(_ value: Float) { item { $0.write(value) } }
    func encode(_ value: Int) { item { $0.write(value) } }
    func encode(_ value: Int8) { item { $0.write(value) } }
    func encode(_ value: Int16) { item { $0.write(value) } }
    func encode(_ value: Int32) { item { $0.write(value) } }
    func encode(_ value: Int64) { item { $0.write(value) } }
    func encode(_ value: Int128) { writing.beyond() }
    func encode(_ value: UInt) { item { $0.write(value) } }
    func encode(_ value: UInt8) { item { $0.write(value) } }
    func encode(_ value: UInt16) { item { $0.write(value) } }
    func encode(_ value: UInt32) { item { $0.write(value) } }
    func encode(_ value: UInt64) { item { $0.write(value) } }
    func encode(_ value: UInt128) { writing.beyond() }
    func encode<Value: Encodable>(_ value: Value) throws { try item { try $0.write(any: value) } }

    // As in `JSONObjectEncoder`.
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(
            JSONObjectEncoder<NestedKey>(writing: writing, number: writing.noLevel()))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayEncoder(writing: writing, number: writing.noLevel())
    }

    func superEncoder() -> any Encoder {
        JSONValueEncoder(writing: writing, number: writing.noLevel())
    }
}
