// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardWire

/// Property lists as bytes, for the wire and for archives.
///
/// Each value is a byte for its type, and a body as in the table. All numbers are little-endian.
///
/// | tag | type | body |
/// |---|---|---|
/// | `01`, `02` | `false`, `true` | |
/// | `10`, `18` | `Int`, `UInt` | 8 bytes |
/// | `11` to `14` | `Int8`, `Int16`, `Int32`, `Int64` | 1, 2, 4, 8 bytes |
/// | `19` to `1c` | `UInt8`, `UInt16`, `UInt32`, `UInt64` | 1, 2, 4, 8 bytes |
/// | `20`, `21` | `Double`, `Float` | the bits, 8 and 4 bytes |
/// | `30` | `String` | count of bytes (4 bytes), UTF-8 |
/// | `31` | `Data` | count of bytes (4 bytes), the bytes |
/// | `32` | `Date` | seconds since the beginning of 2001, UTC: the bits of a `Double` |
/// | `40` | `Array` | count of values (4 bytes), the values |
/// | `41` | `Dictionary` | count of entries (4 bytes); for each the body of a `String` and a value |
///
/// Types that Swift tells apart have tags of their own: `1`, `1.0`, `true` and `UInt8(1)` come back
/// unchanged. Arrays and dictionaries are nested at most 64 deep, counting the outermost.
///
/// Apple's binary format is not used. It first collects all values into a table of offsets, which
/// takes longer than the rest together, and it knows fewer types.
package enum PropertyListCoding {
    /// The deepest nesting of arrays and dictionaries.
    package static var maximumDepth: Int { 64 }

    /// Appends a notification's `userInfo`.
    ///
    /// - Parameter limit: The most bytes that it may take.
    /// - Throws: ``PropertyListError`` for an entry that can't be in a property list, with the
    ///   entry's path. The writer is then unchanged.
    package static func encode(
        userInfo: [AnyHashable: Any], into writer: inout ByteWriter, limit: Int = .max
    ) throws(PropertyListError) {
        try encode(named: "userInfo", into: &writer, limit: limit) {
            (writer, room) throws(PropertyListError) in
            try userInfo.write(into: &writer, within: room)
        }
    }

    /// Appends any property-list value.
    ///
    /// - Parameters:
    ///   - name: The beginning of an error's key path.
    ///   - limit: The most bytes that the value may take.
    /// - Throws: ``PropertyListError`` for a part that can't be in a property list, with the part's
    ///   path. The writer is then unchanged.
    package static func encode(
        _ value: Any, named name: String = "value", into writer: inout ByteWriter,
        limit: Int = .max
    ) throws(PropertyListError) {
        try encode(named: name, into: &writer, limit: limit) {
            (writer, room) throws(PropertyListError) in
            try writer.append(propertyList: value, within: room)
        }
    }

    /// Decodes the `userInfo` that the bytes hold; no other bytes may follow.
    package static func decodeUserInfo(
        _ bytes: UnsafeRawBufferPointer
    ) throws(MalformedBytes) -> [AnyHashable: Any] {
        var reader = ByteReader(bytes)
        let userInfo = try decodeUserInfo(from: &reader)
        try reader.expectEnd()
        return userInfo
    }

    /// Decodes the `userInfo` that comes next.
    package static func decodeUserInfo(
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> [AnyHashable: Any] {
        var decoder = PropertyListDecoder(reader)
        defer { reader = decoder.reader }
        return try decoder.readUserInfo()
    }

    /// Decodes the value that the bytes hold; no other bytes may follow. Dictionaries are
    /// `[String: Any]`, and arrays `[Any]`.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) -> Any {
        var reader = ByteReader(bytes)
        let value = try decode(from: &reader)
        try reader.expectEnd()
        return value
    }

    /// Decodes the value that comes next.
    package static func decode(from reader: inout ByteReader) throws(MalformedBytes) -> Any {
        var decoder = PropertyListDecoder(reader)
        defer { reader = decoder.reader }
        return try decoder.readValue()
    }

    private static func encode(
        named name: String, into writer: inout ByteWriter, limit: Int,
        _ write: (inout ByteWriter, PropertyListRoom) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        let start = writer.count
        do throws(PropertyListError) {
            try write(&writer, PropertyListRoom(from: start, limit: limit))
        } catch {
            writer.truncate(to: start)
            throw error.inside(name: name)
        }
    }
}
