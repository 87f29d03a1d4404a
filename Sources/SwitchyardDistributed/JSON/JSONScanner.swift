// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardWire

/// A scanner that reads JSON and writes it as an encoded property list, without building anything
/// in between.
///
/// Integers become `Int`, or `UInt` if they are too large for `Int`; other numbers become `Double`.
/// Null, and a key twice in one object, are errors, because a property list can't hold them.
package struct JSONScanner {
    let json: UnsafeRawBufferPointer
    var position = 0
    /// The number of open arrays and objects.
    private var depth = 0

    /// - Throws: ``MalformedInput`` if the bytes are not UTF-8, as JSON has to be.
    private init(_ json: UnsafeRawBufferPointer) throws(MalformedInput) {
        guard json.isUTF8 else { throw MalformedInput("it is not UTF-8") }
        self.json = json
    }

    /// Appends a value.
    package static func append(
        value json: UnsafeRawBufferPointer, to list: inout ByteWriter
    ) throws(MalformedInput) {
        var scanner = try JSONScanner(json)
        scanner.skipSpace()
        try scanner.value(to: &list)
        try scanner.expectEnd()
    }

    /// Appends the members of an object, as keys and values alone.
    ///
    /// - Parameter omitted: The keys of members to leave out.
    /// - Returns: The number of members that were appended.
    package static func append(
        membersOf json: UnsafeRawBufferPointer, but omitted: Set<String>, to list: inout ByteWriter
    ) throws(MalformedInput) -> Int {
        var scanner = try JSONScanner(json)
        scanner.skipSpace()
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw complaint(aboutNoObject: json)
        }
        let count = try scanner.members(but: omitted, to: &list)
        try scanner.expectEnd()
        return count
    }

    // MARK: - Values

    private mutating func value(to list: inout ByteWriter) throws(MalformedInput) {
        switch peek() {
        case UInt8(ascii: "\""):
            list.append(PropertyListTag.string)
            _ = try string(to: &list)
        case UInt8(ascii: "{"): try object(to: &list)
        case UInt8(ascii: "["): try array(to: &list)
        case UInt8(ascii: "t"):
            try word("true")
            list.append(PropertyListTag.true)
        case UInt8(ascii: "f"):
            try word("false")
            list.append(PropertyListTag.false)
        case UInt8(ascii: "n"):
            let start = position
            try word("null")
            throw MalformedInput(
                "there is a null at byte \(start), which a property list can't hold: "
                    + "leave it out")
        default: try number(to: &list)
        }
    }

    private mutating func object(to list: inout ByteWriter) throws(MalformedInput) {
        list.append(PropertyListTag.dictionary)
        let countPlace = list.count
        list.append(UInt32(0))
        let count = try members(but: [], to: &list)
        list.patch(UInt32(truncatingIfNeeded: count), at: countPlace)
    }

    private mutating func members(
        but omitted: Set<String>, to list: inout ByteWriter
    ) throws(MalformedInput) -> Int {
        try open()
        var keys = KeySet()
        if take(UInt8(ascii: "}")) { return close(0) }
        while true {
            try member(but: omitted, &keys, to: &list)
            if take(UInt8(ascii: "}")) { return close(keys.count) }
            guard take(UInt8(ascii: ",")) else {
                throw malformed("a comma or a brace", at: position)
            }
            skipSpace()
        }
    }

    private mutating func member(
        but omitted: Set<String>, _ keys: inout KeySet, to list: inout ByteWriter
    ) throws(MalformedInput) {
        let (start, end) = (position, list.count)
        guard peek() == UInt8(ascii: "\"") else { throw malformed("a key", at: position) }
        let key = try string(to: &list)
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw malformed("a colon", at: position) }
        skipSpace()
        try value(to: &list)
        skipSpace()
        if !omitted.isEmpty,
            list.withBytes({ omitted.contains(String(decoding: $0[key], as: UTF8.self)) })
        {
            list.truncate(to: end)
        } else if !keys.insert(key, of: list) {
            throw MalformedInput("the key at byte \(start) is there twice")
        }
    }

    private mutating func array(to list: inout ByteWriter) throws(MalformedInput) {
        try open()
        list.append(PropertyListTag.array)
        let countPlace = list.count
        list.append(UInt32(0))
        var count: UInt32 = 0
        if take(UInt8(ascii: "]")) {
            depth -= 1
            return
        }
        while true {
            try value(to: &list)
            count += 1
            skipSpace()
            if take(UInt8(ascii: "]")) { break }
            guard take(UInt8(ascii: ",")) else {
                throw malformed("a comma or a bracket", at: position)
            }
            skipSpace()
        }
        depth -= 1
        list.patch(count, at: countPlace)
    }

    private mutating func open() throws(MalformedInput) {
        depth += 1
        if depth > PropertyListCoding.maximumDepth {
            throw MalformedInput(
                "more than \(PropertyListCoding.maximumDepth) arrays and objects stand inside each other"
            )
        }
        position += 1
        skipSpace()
    }

    private mutating func close(_ count: Int) -> Int {
        depth -= 1
        return count
    }
}
