// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
package import SwitchyardWire

/// A writer of encoded property lists as JSON, in one line.
///
/// Values that JSON lacks are written as strings: data as Base64, dates as ISO 8601, and infinite
/// numbers and NaN by name. Dictionaries are sorted by key where people read them, because
/// dictionaries have no order, and lines should be comparable.
package struct PropertyListText: ~Copyable {
    private struct Entry {
        let key: UnsafeRawBufferPointer
        let text: Range<Int>

        func precedes(_ other: Entry) -> Bool {
            key.lexicographicallyPrecedes(other.key)
        }
    }

    private var cursor: PropertyListCursor
    private let sortsKeys: Bool
    /// The number of open arrays and dictionaries.
    private var depth = 0
    /// Whether JSON can express all values so far exactly.
    private var isExact = true

    private init(_ bytes: UnsafeRawBufferPointer, sortsKeys: Bool) {
        cursor = PropertyListCursor(bytes)
        self.sortsKeys = sortsKeys
    }

    /// Appends the encoded property list in `bytes`, as JSON.
    ///
    /// - Parameter sortsKeys: Whether dictionaries are sorted by key, which takes time.
    /// - Returns: Whether JSON can express all of it, so that nothing is lost.
    /// - Throws: ``MalformedBytes`` if the bytes are no property list; nothing is appended then.
    @discardableResult
    package static func append(
        _ bytes: UnsafeRawBufferPointer, to text: inout ByteWriter, sortsKeys: Bool = true
    ) throws(MalformedBytes) -> Bool {
        let start = text.count
        do throws(MalformedBytes) {
            var writer = PropertyListText(bytes, sortsKeys: sortsKeys)
            try writer.value(to: &text)
            try writer.cursor.expectEnd()
            return writer.isExact
        } catch {
            text.truncate(to: start)
            throw error
        }
    }

    private mutating func value(to text: inout ByteWriter) throws(MalformedBytes) {
        switch try cursor.next() {
        case .bool(let flag): text.append(flag ? "true" : "false")
        case .int(let number): text.append(decimal: number)
        case .uint(let number): text.append(decimal: number)
        case .double(let number):
            if !number.isFinite { isExact = false }
            text.append(json: number)
        case .float(let number):
            isExact = false
            text.append(json: Double(number))
        case .string(let bytes): try string(bytes, to: &text)
        case .data(let bytes):
            isExact = false
            text.append(quoted: Data(bytes).base64EncodedString())
        case .date(let seconds):
            isExact = false
            text.append(quoted: Self.words(secondsSince2001: seconds))
        case .array(let count): try array(count, to: &text)
        case .dictionary(let count): try dictionary(count, to: &text)
        }
    }

    private func string(
        _ bytes: UnsafeRawBufferPointer, to text: inout ByteWriter
    ) throws(MalformedBytes) {
        guard bytes.isUTF8 else { throw cursor.malformed(expected: "UTF-8 before this") }
        text.append(quoted: bytes)
    }

    private static func words(secondsSince2001 seconds: Double) -> String {
        // Dates beyond the calendar are written as their number of seconds.
        guard abs(seconds) < 250_000_000_000 else { return "\(seconds)" }
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return Date(timeIntervalSinceReferenceDate: seconds).formatted(format)
    }

    // MARK: - Containers

    private mutating func array(
        _ count: Int, to text: inout ByteWriter
    ) throws(MalformedBytes) {
        try open()
        text.append(UInt8(ascii: "["))
        for index in 0..<count {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            try value(to: &text)
        }
        text.append(UInt8(ascii: "]"))
        depth -= 1
    }

    private mutating func dictionary(
        _ count: Int, to text: inout ByteWriter
    ) throws(MalformedBytes) {
        try open()
        text.append(UInt8(ascii: "{"))
        let start = text.count
        var entries: [Entry] = []
        var isSorted = true
        for index in 0..<count {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            let entryStart = text.count
            let key = try cursor.key()
            try string(key, to: &text)
            text.append(UInt8(ascii: ":"))
            try value(to: &text)
            if count == 1 { continue }
            let entry = Entry(key: key, text: entryStart..<text.count)
            isSorted = isSorted && entries.last?.precedes(entry) ?? true
            entries.append(entry)
        }
        if !isSorted {
            try sort(&entries)
            if sortsKeys { write(entries, from: start, to: &text) }
        }
        text.append(UInt8(ascii: "}"))
        depth -= 1
    }

    /// Sorts the entries by key. Throws if a key is there twice.
    private func sort(_ entries: inout [Entry]) throws(MalformedBytes) {
        entries.sort { $0.precedes($1) }
        for (entry, next) in zip(entries, entries.dropFirst()) where !entry.precedes(next) {
            throw cursor.malformed(expected: "no key twice before this")
        }
    }

    /// Writes the entries once more, in place of the text from `start` on.
    private func write(_ entries: [Entry], from start: Int, to text: inout ByteWriter) {
        let written = text.withBytes { Array($0[start...]) }
        text.truncate(to: start)
        written.withUnsafeBytes { written in
            for (index, entry) in entries.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                let range = entry.text.lowerBound - start..<entry.text.upperBound - start
                text.append(bytes: UnsafeRawBufferPointer(rebasing: written[range]))
            }
        }
    }

    private mutating func open() throws(MalformedBytes) {
        depth += 1
        if depth > PropertyListCoding.maximumDepth {
            throw cursor.malformed(expected: "no more than 64 containers inside each other")
        }
    }
}
