// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardWire

/// A type whose values can be written as parts of a property list.
protocol PropertyListWritable {
    /// Appends the value, with its tag.
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError)
}

/// The limits of what may still be written.
struct PropertyListRoom {
    /// The number of arrays and dictionaries that may still be opened inside each other.
    private var depth = PropertyListCoding.maximumDepth
    private let limit: Int
    /// The largest count that the writer may reach.
    private let end: Int

    init(from start: Int, limit: Int) {
        self.limit = limit
        let (end, overflows) = start.addingReportingOverflow(limit)
        self.end = overflows ? .max : end
    }

    /// Returns the room inside an array or dictionary that is opened here.
    func inside() throws(PropertyListError) -> PropertyListRoom {
        guard depth > 0 else { throw .tooDeep }
        var room = self
        room.depth -= 1
        return room
    }

    /// Throws if the writer holds too much, or would with `additional` bytes.
    func check(_ writer: borrowing ByteWriter, additional: Int = 0) throws(PropertyListError) {
        guard end - writer.count >= additional else { throw .tooLarge(limit: limit) }
    }
}

extension ByteWriter {
    /// Appends any value, if a property list can hold its type.
    mutating func append<Value>(
        propertyList value: Value, within room: PropertyListRoom
    ) throws(PropertyListError) {
        switch CommonValue(value) {
        case .string(let string): try string.write(into: &self, within: room)
        case .int(let int): int.write(into: &self, within: room)
        case .double(let double): double.write(into: &self, within: room)
        case .bool(let bool): bool.write(into: &self, within: room)
        case .array(let values): try values.write(into: &self, within: room)
        case .dictionary(let entries): try entries.write(into: &self, within: room)
        case .other(let value as any PropertyListWritable):
            try value.write(into: &self, within: room)
        case .other(let value): throw .unsupportedValue(value)
        }
        try room.check(self)
    }

    package mutating func append(_ tag: PropertyListTag) { append(tag.rawValue) }

    /// Appends the count of bytes or values that follow.
    mutating func append(count: Int) throws(PropertyListError) {
        guard let count = UInt32(exactly: count) else { throw .tooMany(count) }
        append(count)
    }

    /// Appends a string with its count, as in a value's body or a key.
    mutating func append(
        counted string: String, within room: PropertyListRoom
    ) throws(PropertyListError) {
        let count = string.utf8.count
        try room.check(self, additional: count)
        try append(count: count)
        append(string: string)
    }
}
