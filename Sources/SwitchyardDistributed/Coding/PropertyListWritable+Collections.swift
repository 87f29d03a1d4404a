// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

extension Array: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        let room = try room.inside()
        writer.append(PropertyListTag.array)
        try writer.append(count: count)
        for index in indices {
            do throws(PropertyListError) {
                try writer.append(propertyList: self[index], within: room)
            } catch {
                throw error.inside(index: index)
            }
        }
    }
}

extension Dictionary: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        let room = try room.inside()
        writer.append(PropertyListTag.dictionary)
        try writer.append(count: count)
        for (key, value) in self {
            try writer.append(entry: try text(of: key), value, within: room)
        }
    }

    /// Returns a key as a string.
    private func text(of key: Key) throws(PropertyListError) -> String {
        if Key.self == String.self { return taken(key, as: String.self) }
        guard Key.self == AnyHashable.self else {
            guard let string = key as? String else { throw .keyIsNoString(key) }
            return string
        }
        let key = taken(key, as: AnyHashable.self)
        if case .string(let string) = CommonValue(key.base) { return string }
        guard let string = key.base as? String else { throw .keyIsNoString(key.base) }
        // The key may be an NSString. On Linux, it does not equal the same string as a String.
        if let twin = AnyHashable(string) as? Key, AnyHashable(string) != key, self[twin] != nil {
            throw .duplicateKey(string)
        }
        return string
    }
}

extension ByteWriter {
    /// Appends a dictionary's entry.
    mutating func append<Value>(
        entry key: String, _ value: Value, within room: PropertyListRoom
    ) throws(PropertyListError) {
        do throws(PropertyListError) {
            try append(counted: key, within: room)
            try append(propertyList: value, within: room)
        } catch {
            throw error.inside(key: key)
        }
    }
}

extension Optional: PropertyListWritable {
    /// Writes the wrapped value: an optional inside an `Any` counts as the value that it holds.
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        guard let value = self else { throw .isNil }
        try writer.append(propertyList: value, within: room)
    }
}

extension AnyHashable: PropertyListWritable {
    func write(
        into writer: inout ByteWriter, within room: PropertyListRoom
    ) throws(PropertyListError) {
        try writer.append(propertyList: base, within: room)
    }
}
