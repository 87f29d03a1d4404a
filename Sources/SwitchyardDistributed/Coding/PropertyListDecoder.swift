// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// A decoder of property lists from bytes that may come from anybody.
struct PropertyListDecoder {
    private(set) var reader: ByteReader
    /// The number of arrays and dictionaries that may still be opened inside each other.
    private var depth = PropertyListCoding.maximumDepth
    /// The fewest bytes that the open containers still need for values to come. Without this
    /// number, each of several nested counts could claim all bytes that are left, and memory would
    /// be reserved for that up to 64 times.
    private var promised = 0

    init(_ reader: ByteReader) { self.reader = reader }

    /// The fewest bytes of a value: its tag.
    private static var smallestValue: Int { 1 }
    /// The fewest bytes of a dictionary's entry: the count of an empty key, and a value.
    private static var smallestEntry: Int { 4 + smallestValue }

    mutating func readUserInfo() throws(MalformedBytes) -> [AnyHashable: Any] {
        let start = reader
        guard try readTag() == .dictionary else {
            throw start.malformed(expected: "a dictionary")
        }
        let beginning = self
        if let entries = try readKnownShape() { return entries }
        self = beginning
        var keys: [String] = []
        let entries = try readDictionary { key in
            if keys.count <= DictionaryShape.mostKeys { keys.append(key) }
            return AnyHashable(key)
        }
        if keys.count <= DictionaryShape.mostKeys { DictionaryShape.remember(keys, of: entries) }
        return entries
    }

    /// Reads a dictionary that has the keys of a recent one.
    ///
    /// - Returns: The dictionary; nil if it has other keys. Some of it was read then.
    private mutating func readKnownShape() throws(MalformedBytes) -> [AnyHashable: Any]? {
        let count = try open(elementSize: Self.smallestEntry)
        if count == 0 || count > DictionaryShape.mostKeys { return nil }
        var next = reader
        let first = try next.readBytes(count: next.readCount())
        guard let shape = DictionaryShape.likely(count, first: first), shape.indices.count == count
        else { return nil }
        var entries = shape.template
        for index in 0..<count {
            promised -= Self.smallestEntry
            guard shape.has(try reader.readBytes(count: reader.readCount()), at: index) else {
                return nil
            }
            entries.values[shape.indices[index]] = try readValue()
        }
        depth += 1
        return entries
    }

    mutating func readValue() throws(MalformedBytes) -> Any {
        switch try readTag() {
        case .string: try reader.readCountedString()
        case .int: try readInt()
        case .double: Double(bitPattern: try reader.readUInt64())
        case .false: false
        case .true: true
        case .int8: Int8(bitPattern: try reader.readUInt8())
        case .int16: Int16(bitPattern: try reader.readUInt16())
        case .int32: Int32(bitPattern: try reader.readUInt32())
        case .int64: Int64(bitPattern: try reader.readUInt64())
        case .uint: try readUInt()
        case .uint8: try reader.readUInt8()
        case .uint16: try reader.readUInt16()
        case .uint32: try reader.readUInt32()
        case .uint64: try reader.readUInt64()
        case .float: Float(bitPattern: try reader.readUInt32())
        case .data: Data(try reader.readBytes(count: try reader.readCount()))
        case .date:
            Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.readUInt64()))
        case .array: try readArray()
        case .dictionary: try readDictionary { $0 }
        }
    }

    private mutating func readTag() throws(MalformedBytes) -> PropertyListTag {
        let start = reader
        guard let tag = PropertyListTag(rawValue: try reader.readUInt8()) else {
            throw start.malformed(expected: "a property list's tag")
        }
        return tag
    }

    private mutating func readInt() throws(MalformedBytes) -> Int {
        let start = reader
        guard let int = Int(exactly: Int64(bitPattern: try reader.readUInt64())) else {
            throw start.malformed(expected: "a number that this system's Int can hold")
        }
        return int
    }

    private mutating func readUInt() throws(MalformedBytes) -> UInt {
        let start = reader
        guard let uint = UInt(exactly: try reader.readUInt64()) else {
            throw start.malformed(expected: "a number that this system's UInt can hold")
        }
        return uint
    }

    private mutating func readArray() throws(MalformedBytes) -> [Any] {
        let count = try open(elementSize: Self.smallestValue)
        var values: [Any] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            promised -= Self.smallestValue
            values.append(try readValue())
        }
        depth += 1
        return values
    }

    private mutating func readDictionary<Key: Hashable>(
        _ makeKey: (String) -> Key
    ) throws(MalformedBytes) -> [Key: Any] {
        let count = try open(elementSize: Self.smallestEntry)
        // Keys that collide are compared, and comparing two `AnyHashable`s takes longer than
        // decoding an entry. With room to spare, few keys collide, also in later look-ups.
        var entries = [Key: Any](minimumCapacity: count <= 16 ? 2 * count : count)
        for _ in 0..<count {
            promised -= Self.smallestEntry
            let start = reader
            let key = makeKey(try reader.readCountedString())
            guard entries.updateValue(try readValue(), forKey: key) == nil else {
                throw start.malformed(expected: "a key that has not come before")
            }
        }
        depth += 1
        return entries
    }

    /// Opens a container: reads its count, and reserves bytes for its items.
    private mutating func open(elementSize: Int) throws(MalformedBytes) -> Int {
        guard depth > 0 else {
            throw reader.malformed(expected: "no more than 64 containers inside each other")
        }
        let count = try reader.readCount(ofSize: elementSize, promised: promised)
        depth -= 1
        promised += count * elementSize
        return count
    }
}
