// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed
internal import SwitchyardWire

/// An entry of `userInfo` as written on a command line: `key=value`, or `key:=JSON`.
struct InfoEntry {
    let key: String
    /// The value, encoded as a property list.
    let value: [UInt8]

    init(_ argument: String) throws {
        guard let sign = argument.firstIndex(of: "=") else {
            throw MalformedInput(
                "--info takes key=value, and '\(argument)' is none; the notification's "
                    + "name stands before it")
        }
        let left = argument[..<sign]
        let isJSON = left.last == ":"
        let text = String(argument[argument.index(after: sign)...])
        key = String(isJSON ? left.dropLast() : left)
        if key.isEmpty {
            throw MalformedInput(
                "--info takes key=value: in '\(argument)', write a key before the =")
        }
        do {
            value = try isJSON ? Self.encode(json: text) : Self.encode(plain: text, key)
        } catch  where isJSON {
            throw MalformedInput("what follows := in '\(argument)': \(error)")
        }
    }

    private static func encode(json text: String) throws -> [UInt8] {
        var list = ByteWriter()
        let json = Array(text.utf8)
        try json.withUnsafeBytes { try JSONScanner.append(value: $0, to: &list) }
        return list.withBytes { Array($0) }
    }

    /// Encodes a value without quotes: as a Bool or a number if it is written as one in JSON, and
    /// otherwise as a string, such as `007`, `+1`, `1.`, `nan`.
    private static func encode(plain text: String, _ key: String) throws -> [UInt8] {
        if Bool(text) != nil { return try encode(json: text) }
        if let number = text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) {
            let isInteger = number.output.2 == nil && number.output.3 == nil
            let isKept =
                isInteger
                ? Int64(text) != nil || UInt64(text) != nil : Double(text)?.isFinite == true
            if isKept { return try encode(json: text) }
            throw MalformedInput(
                "the number in '\(key)=\(text)' is too large; as a string, write "
                    + "'\(key):=\"\(text)\"'")
        }
        var list = ByteWriter()
        try PropertyListCoding.encode(text, named: key, into: &list)
        return list.withBytes { Array($0) }
    }
}
