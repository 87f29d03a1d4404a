// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// An entry of `userInfo` as it is written on a command line: `key=value`, or `key:=JSON`.
struct InfoEntry {
    let key: String
    /// Its value, encoded.
    let value: [UInt8]

    init(_ argument: String) throws {
        guard let sign = argument.firstIndex(of: "=") else {
            throw MalformedInput(
                "--info takes key=value, and '\(argument)' is none; the notification's "
                    + "name stands before it")
        }
        let key = argument[..<sign]
        let text = String(argument[argument.index(after: sign)...])
        guard key.last == ":" else {
            self.key = String(key)
            value = Self.encode(plain: text)
            return
        }
        self.key = String(key.dropLast())
        do {
            value = try Self.encode(json: text)
        } catch {
            throw MalformedInput("what follows := in '\(argument)': \(error)")
        }
    }

    private static func encode(json text: String) throws -> [UInt8] {
        var list = ByteWriter()
        let json = Array(text.utf8)
        try json.withUnsafeBytes { try JSONScanner.append(value: $0, to: &list) }
        return list.withBytes { Array($0) }
    }

    /// A value without quotes. What would not be written like that again is a string: `007`, `+1`,
    /// `1.`, `nan`.
    private static func encode(plain text: String) -> [UInt8] {
        var list = ByteWriter()
        if let flag = Bool(text) {
            list.append(flag ? PropertyListTag.true : .false)
        } else if let integer = Int64(text), String(integer) == text {
            list.append(PropertyListTag.int)
            list.append(UInt64(bitPattern: integer))
        } else if let decimal = decimal(text) {
            list.append(PropertyListTag.double)
            list.append(decimal.bitPattern)
        } else {
            list.append(PropertyListTag.string)
            list.append(UInt32(truncatingIfNeeded: text.utf8.count))
            list.append(string: text)
        }
        return list.withBytes { Array($0) }
    }

    private static func decimal(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy(isDigits),
            parts[0].count == 1 || parts[0].first != "0"
        else { return nil }
        return Double(text)
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
