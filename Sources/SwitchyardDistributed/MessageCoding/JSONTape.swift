// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The values of JSON in the order in which they stand there, with their positions: the result of
/// one pass over the bytes, from which values are then decoded in any order.
struct JSONTape: ~Copyable {
    /// One value, or the key of a member, which stands before the member's value.
    struct Entry {
        var kind: Kind
        /// The position of the value's first byte. For a string, the position of the first byte
        /// inside the quotation marks. For an object, the index of the key that was found last.
        var start: UInt32
        /// The position behind the value's last byte. For a container, the number of its items.
        var end: UInt32
        /// The index of the entry behind the value and all that is in it.
        var next: UInt32
    }

    enum Kind: UInt8 {
        case object
        case array
        /// A string in which no character is escaped.
        case string
        case escapedString
        case integer
        /// A number with a fraction or an exponent.
        case number
        case `true`
        case `false`
        case null
    }

    private var memory: UnsafeMutablePointer<Entry>
    private var capacity: Int
    private(set) var count = 0
    /// The bytes that are scanned.
    private var json = UnsafeRawBufferPointer(start: nil, count: 0)
    private var position = 0

    /// The deepest nesting that is read.
    private static var mostDepth: Int { 32 }
    /// The most bytes that are read.
    static var mostBytes: Int { 1 << 20 }

    init() {
        capacity = 32
        memory = .allocate(capacity: capacity)
    }

    deinit { memory.deallocate() }

    /// The number of bytes that the tape takes.
    var size: Int { capacity * MemoryLayout<Entry>.stride }

    subscript(index: Int) -> Entry {
        precondition(index >= 0 && index < count, "an entry that was scanned")
        return memory[index]
    }

    /// Notes which key of an object was found.
    mutating func found(_ key: Int, in object: Int) {
        precondition(object >= 0 && object < count, "an entry that was scanned")
        memory[object].start = UInt32(truncatingIfNeeded: key)
    }

    /// Makes this the tape of an object.
    ///
    /// - Returns: Whether the bytes are one object in UTF-8, with keys in plain ASCII. If not, the
    ///   tape has no meaning, although the bytes may be JSON.
    mutating func scan(object json: UnsafeRawBufferPointer) -> Bool {
        count = 0
        position = 0
        guard json.count <= Self.mostBytes, json.isUTF8 else { return false }
        self.json = json
        defer { self.json = UnsafeRawBufferPointer(start: nil, count: 0) }
        skipSpace()
        guard peek() == UInt8(ascii: "{"), object(depth: 1) else { return false }
        skipSpace()
        return position == json.count
    }

    // MARK: - Values

    private mutating func value(depth: Int) -> Bool {
        switch peek() {
        case UInt8(ascii: "\""): string(isKey: false)
        case UInt8(ascii: "{"): object(depth: depth + 1)
        case UInt8(ascii: "["): array(depth: depth + 1)
        case UInt8(ascii: "t"): word("true", .true)
        case UInt8(ascii: "f"): word("false", .false)
        case UInt8(ascii: "n"): word("null", .null)
        default: number()
        }
    }

    private mutating func object(depth: Int) -> Bool {
        if depth > Self.mostDepth { return false }
        let index = append(.object, count + 1)
        position += 1
        var items: UInt32 = 0
        skipSpace()
        if take(UInt8(ascii: "}")) { return end(index, items) }
        while true {
            guard string(isKey: true) else { return false }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard value(depth: depth) else { return false }
            items += 1
            skipSpace()
            if take(UInt8(ascii: "}")) { return end(index, items) }
            guard take(UInt8(ascii: ",")) else { return false }
            skipSpace()
        }
    }

    private mutating func array(depth: Int) -> Bool {
        if depth > Self.mostDepth { return false }
        let index = append(.array, position)
        position += 1
        var items: UInt32 = 0
        skipSpace()
        if take(UInt8(ascii: "]")) { return end(index, items) }
        while true {
            guard value(depth: depth) else { return false }
            items += 1
            skipSpace()
            if take(UInt8(ascii: "]")) { return end(index, items) }
            guard take(UInt8(ascii: ",")) else { return false }
            skipSpace()
        }
    }

    private mutating func string(isKey: Bool) -> Bool {
        guard take(UInt8(ascii: "\"")) else { return false }
        let start = position
        var kind = Kind.string
        while true {
            position = json.firstSpecial(from: position)
            guard position < json.count else { return false }
            switch json[position] {
            case UInt8(ascii: "\""):
                if isKey, kind != .string || !isASCII(start..<position) { return false }
                let index = append(kind, start)
                memory[index].end = UInt32(truncatingIfNeeded: position)
                position += 1
                return true
            case UInt8(ascii: "\\"):
                kind = .escapedString
                guard skipEscape() else { return false }
            default: return false
            }
        }
    }

    /// Skips an escaped character. The escapes are checked in all strings, also in those that no
    /// property asks for.
    ///
    /// - Returns: False if the bytes are no escape, or half of a surrogate pair, which is left to
    ///   Foundation.
    private mutating func skipEscape() -> Bool {
        guard position + 1 < json.count else { return false }
        switch json[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
            return true
        case UInt8(ascii: "u"):
            guard position + 6 <= json.count else { return false }
            let digits = json[position + 2..<position + 6]
            guard digits.allSatisfy({ Self.isHexadecimal($0) }) else { return false }
            let isSurrogate =
                digits.first.map { $0 | 0x20 } == UInt8(ascii: "d")
                && json[position + 3] > UInt8(ascii: "7")
            if isSurrogate { return false }
            position += 6
            return true
        default: return false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private func isASCII(_ range: Range<Int>) -> Bool {
        json[range].allSatisfy { $0 < 0x80 }
    }

    private mutating func word(_ word: StaticString, _ kind: Kind) -> Bool {
        let length = word.utf8CodeUnitCount
        let expected = UnsafeRawBufferPointer(start: word.utf8Start, count: length)
        guard json.count - position >= length,
            json[position..<position + length].elementsEqual(expected)
        else { return false }
        append(kind, position, length: length)
        return true
    }

    private mutating func number() -> Bool {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let isZero = peek() == UInt8(ascii: "0")
        let digits = skipDigits()
        if digits == 0 || isZero && digits > 1 { return false }
        var kind = Kind.integer
        if take(UInt8(ascii: ".")) {
            kind = .number
            if skipDigits() == 0 { return false }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            kind = .number
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            if skipDigits() == 0 { return false }
        }
        let length = position - start
        position = start
        append(kind, start, length: length)
        return true
    }

    // MARK: - Bytes

    @inline(__always)
    private func peek() -> UInt8 { position < json.count ? json[position] : 0 }

    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    private mutating func skipSpace() {
        while position < json.count {
            switch json[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                position += 1
            default: return
            }
        }
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek()) { position += 1 }
        return position - start
    }

    // MARK: - Entries

    /// Appends a value of `length` bytes at the position, and skips the bytes.
    private mutating func append(_ kind: Kind, _ start: Int, length: Int) {
        let index = append(kind, start)
        position += length
        memory[index].end = UInt32(truncatingIfNeeded: position)
    }

    @discardableResult
    private mutating func append(_ kind: Kind, _ start: Int) -> Int {
        if count == capacity { grow() }
        (memory + count).initialize(
            to: Entry(
                kind: kind, start: UInt32(truncatingIfNeeded: start), end: 0,
                next: UInt32(truncatingIfNeeded: count + 1)))
        count += 1
        return count - 1
    }

    /// Completes a container.
    private mutating func end(_ index: Int, _ items: UInt32) -> Bool {
        memory[index].end = items
        memory[index].next = UInt32(truncatingIfNeeded: count)
        return true
    }

    @inline(never)
    private mutating func grow() {
        let grown = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
        grown.moveInitialize(from: memory, count: count)
        memory.deallocate()
        memory = grown
        capacity *= 2
    }
}
