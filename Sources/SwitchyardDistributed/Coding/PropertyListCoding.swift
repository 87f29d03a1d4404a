// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Property lists as bytes, for the wire and for archives.
///
/// Each value is a byte that says of what type it is, and what the table says. All numbers are
/// little-endian.
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
/// What Swift tells apart has tags of its own: `1`, `1.0`, `true` and `UInt8(1)` come back as what
/// they were. At most 64 arrays and dictionaries stand inside each other, the outermost counted.
///
/// Apple's binary format is not used: it collects all values into a table of offsets first, which
/// takes longer than the rest together, and it knows fewer types.
package enum PropertyListCoding {
    /// How many arrays and dictionaries may stand inside each other.
    package static var maximumDepth: Int { 64 }

    /// Appends a notification's `userInfo`.
    ///
    /// - Parameter limit: how many bytes it may take.
    /// - Throws: what says which entry is no property list; the writer is then as it was.
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
    ///   - name: what an error's key path begins with.
    ///   - limit: how many bytes the value may take.
    /// - Throws: what says which part of it is no property list; the writer is then as it was.
    package static func encode(
        _ value: Any, named name: String = "value", into writer: inout ByteWriter,
        limit: Int = .max
    ) throws(PropertyListError) {
        try encode(named: name, into: &writer, limit: limit) {
            (writer, room) throws(PropertyListError) in
            try writer.append(propertyList: value, within: room)
        }
    }

    /// The `userInfo` that the bytes hold; nothing may follow it.
    package static func decodeUserInfo(
        _ bytes: UnsafeRawBufferPointer
    ) throws(MalformedBytes) -> [AnyHashable: Any] {
        var reader = ByteReader(bytes)
        let userInfo = try decodeUserInfo(from: &reader)
        try reader.expectEnd()
        return userInfo
    }

    /// The `userInfo` that comes next.
    package static func decodeUserInfo(
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> [AnyHashable: Any] {
        var decoder = PropertyListDecoder(reader)
        defer { reader = decoder.reader }
        return try decoder.readUserInfo()
    }

    /// The value that the bytes hold; nothing may follow it. Dictionaries are `[String: Any]`, and
    /// arrays `[Any]`.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) -> Any {
        var reader = ByteReader(bytes)
        let value = try decode(from: &reader)
        try reader.expectEnd()
        return value
    }

    /// The value that comes next.
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
