// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// JSON that is being encoded from a message.
///
/// The encoder writes the common types of members several times as fast as Foundation's. Foundation
/// does all else, errors included: ``isBeyond`` is set then, and the bytes so far are thrown away.
final class JSONWriting {
    /// A value whose `encode(to:)` is running, or the members and items of it.
    private struct Level {
        enum Form {
            case nothing
            case object
            case array
            case value
        }

        /// The level's number, which no other has while this object is in use.
        var number: Int
        var form = Form.nothing
        var items = 0
        /// The position of the first byte behind the opening brace.
        var start = 0
        /// A bit for each length and last letter of a key: two keys of one bit may be the same.
        var seen: UInt64 = 0
    }

    private struct Storage: ~Copyable {
        var bytes = ByteWriter()
        /// The innermost value.
        var level = Level(number: 0)
        /// The number of levels that are open.
        var depth = 0
        var lastNumber = 0
    }

    // Allocated separately: each access to a class's stored variable is checked for exclusivity at
    // run time, which takes longer than the work here.
    private let storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)
    /// Whether something was asked for that Foundation has to do.
    private(set) var isBeyond = false

    init() { storage.initialize(to: Storage()) }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// The deepest nesting that is written.
    private static var mostDepth: Int { 32 }

    /// The number of bytes that are kept for the next message.
    var size: Int { storage.pointee.bytes.capacity }

    /// Encodes a message as an object.
    ///
    /// - Returns: The bytes; nil if Foundation has to encode it.
    func encode(_ message: some Encodable) -> [UInt8]? {
        isBeyond = false
        storage.pointee.bytes.removeAll(keepingCapacity: true)
        let isObject = nest { (try? message.encode(to: $0)) != nil }
        guard isObject, !isBeyond, storage.pointee.bytes.count > 0 else { return nil }
        return storage.pointee.bytes.withBytes { $0.first == UInt8(ascii: "{") ? Array($0) : nil }
    }

    /// Notes that Foundation has to encode the message.
    @inline(never)
    func beyond() { isBeyond = true }

    /// The number of a level to which nothing can be written, for containers that are beyond this
    /// encoder.
    func noLevel() -> Int {
        beyond()
        return -1
    }

    // MARK: - Levels

    /// Has `body` encode a value, and completes what it began. If it throws, Foundation has to
    /// encode the message: its encoder takes back what the value has written, for a caller that
    /// catches the error.
    @inline(__always)
    private func nest(_ body: (JSONValueEncoder) throws -> Bool) rethrows -> Bool {
        let storage = storage
        let outer = storage.pointee.level
        storage.pointee.lastNumber &+= 1
        storage.pointee.depth += 1
        storage.pointee.level = Level(number: storage.pointee.lastNumber)
        defer {
            storage.pointee.level = outer
            storage.pointee.depth -= 1
        }
        if storage.pointee.depth > Self.mostDepth {
            beyond()
            return false
        }
        let isDone: Bool
        do {
            isDone = try body(
                JSONValueEncoder(writing: self, number: storage.pointee.level.number))
        } catch {
            beyond()
            throw error
        }
        switch storage.pointee.level.form {
        case .object: storage.pointee.bytes.append(UInt8(ascii: "}"))
        case .array: storage.pointee.bytes.append(UInt8(ascii: "]"))
        case .value: break
        // Foundation has its own rules for a value that encodes nothing.
        case .nothing: beyond()
        }
        return isDone
    }

    /// Whether the level with this number is the innermost. If not, somebody uses a container while
    /// another value is being encoded, or afterwards.
    @inline(__always)
    private func isInnermost(_ number: Int) -> Bool {
        if storage.pointee.level.number == number { return true }
        beyond()
        return false
    }

    func beginObject(_ number: Int) { begin(.object, UInt8(ascii: "{"), number) }
    func beginArray(_ number: Int) { begin(.array, UInt8(ascii: "["), number) }

    /// Begins a container, unless the value is one already.
    private func begin(_ form: Level.Form, _ byte: UInt8, _ number: Int) {
        guard isInnermost(number) else { return }
        if storage.pointee.level.form == form { return }
        guard storage.pointee.level.form == .nothing else { return beyond() }
        storage.pointee.level.form = form
        storage.pointee.bytes.append(byte)
        storage.pointee.level.start = storage.pointee.bytes.count
    }

    /// Begins the value of a level that is no container.
    ///
    /// - Returns: Whether it is to be written.
    func beginValue(_ number: Int) -> Bool {
        guard isInnermost(number), storage.pointee.level.form == .nothing else {
            beyond()
            return false
        }
        storage.pointee.level.form = .value
        return true
    }

    /// Begins an array's item.
    ///
    /// - Returns: Whether it is to be written.
    func beginItem(_ number: Int) -> Bool {
        guard isInnermost(number) else { return false }
        separate()
        return true
    }

    /// The number of items of an array.
    func items(_ number: Int) -> Int { isInnermost(number) ? storage.pointee.level.items : 0 }

    /// Writes the key of an object's member.
    ///
    /// - Returns: Whether its value is to be written.
    func beginMember(_ key: String, _ number: Int) -> Bool {
        guard isInnermost(number) else { return false }
        separate()
        var key = key
        return key.withUTF8 { key in
            let text = UnsafeRawBufferPointer(key)
            guard text.firstSpecial(from: 0) == text.count, isNew(text) else {
                beyond()
                return false
            }
            storage.pointee.bytes.append(UInt8(ascii: "\""))
            storage.pointee.bytes.append(bytes: text)
            storage.pointee.bytes.append(UInt8(ascii: "\""))
            storage.pointee.bytes.append(UInt8(ascii: ":"))
            return true
        }
    }

    @inline(__always)
    private func separate() {
        if storage.pointee.level.items > 0 { storage.pointee.bytes.append(UInt8(ascii: ",")) }
        storage.pointee.level.items += 1
    }

    /// Whether the object has no key of the same length and last letter with the same bytes. A key
    /// outside ASCII may be equal to another with other bytes.
    private func isNew(_ key: UnsafeRawBufferPointer) -> Bool {
        let last = key.last ?? 0
        let bit: UInt64 = 1 << UInt64((UInt64(key.count) &* 7 &+ UInt64(last)) & 63)
        defer { storage.pointee.level.seen |= bit }
        if !key.allSatisfy({ $0 < 0x80 }) { return false }
        return storage.pointee.level.seen & bit == 0 || !mayHave(key)
    }

    /// Whether the key, in its quotes, may stand in the object.
    @inline(never)
    private func mayHave(_ key: UnsafeRawBufferPointer) -> Bool {
        let start = storage.pointee.level.start
        return storage.pointee.bytes.withBytes { bytes in
            var index = start
            while index + key.count + 2 < bytes.count {
                if bytes[index] == UInt8(ascii: "\""),
                    bytes[index + 1 + key.count] == UInt8(ascii: "\""),
                    bytes[index + 1..<index + 1 + key.count].elementsEqual(key)
                {
                    return true
                }
                index += 1
            }
            return false
        }
    }

    // MARK: - Values

    func writeNull() { storage.pointee.bytes.append("null") }

    func write(_ bool: Bool) { storage.pointee.bytes.append(bool ? "true" : "false") }

    func write(_ string: String) {
        var string = string
        string.withUTF8 { utf8 in
            let text = UnsafeRawBufferPointer(utf8)
            if text.firstSpecial(from: 0) == text.count {
                storage.pointee.bytes.append(UInt8(ascii: "\""))
                storage.pointee.bytes.append(bytes: text)
                storage.pointee.bytes.append(UInt8(ascii: "\""))
            } else {
                storage.pointee.bytes.append(quoted: text)
            }
        }
    }

    @inline(__always)
    func write(_ integer: some FixedWidthInteger) {
        storage.pointee.bytes.append(decimal: integer)
    }

    func write(_ number: some BinaryFloatingPoint & LosslessStringConvertible) {
        // Foundation has its own rules for those.
        guard number.isFinite else { return beyond() }
        var text = number.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        storage.pointee.bytes.append(string: text)
    }

    /// Writes a value of any type.
    func write<Value: Encodable>(any value: Value) throws {
        // Found by the identity of the type, as in `CommonValue`.
        switch ObjectIdentifier(Value.self) {
        case ObjectIdentifier(String.self): write(taken(value, as: String.self))
        case ObjectIdentifier(Int.self): write(taken(value, as: Int.self))
        case ObjectIdentifier(Double.self): write(taken(value, as: Double.self))
        case ObjectIdentifier(Bool.self): write(taken(value, as: Bool.self))
        case ObjectIdentifier(Data.self):
            write(taken(value, as: Data.self).base64EncodedString())
        // Foundation has forms of its own for them.
        case ObjectIdentifier(URL.self), ObjectIdentifier(Decimal.self): beyond()
        default:
            _ = try nest {
                try value.encode(to: $0)
                return true
            }
        }
    }
}
