// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// JSON that is being decoded as a message.
///
/// The decoder reads the common types of members several times as fast as Foundation's. All else,
/// errors included, is ``isBeyond`` it: the result is then thrown away, and Foundation decides.
final class JSONReading {
    private struct Storage: ~Copyable {
        var bytes = ByteWriter()
        var tape = JSONTape()
    }

    // Allocated separately: each access to a class's stored variable is checked for exclusivity at
    // run time, which takes longer than the work here.
    private let storage = UnsafeMutablePointer<Storage>.allocate(capacity: 1)
    /// Whether something was asked for that Foundation has to answer.
    private(set) var isBeyond = false

    init() { storage.initialize(to: Storage()) }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    var tape: JSONTape {
        _read { yield storage.pointee.tape }
    }

    /// Begins to read an object.
    ///
    /// - Returns: False if Foundation has to read it.
    func begin(_ json: UnsafeRawBufferPointer) -> Bool {
        isBeyond = false
        // Copied, because a message may keep its decoder for longer than the bytes are valid.
        storage.pointee.bytes.removeAll(keepingCapacity: true)
        storage.pointee.bytes.append(bytes: json)
        return storage.pointee.bytes.withBytes { storage.pointee.tape.scan(object: $0) }
    }

    /// The number of bytes that are kept for the next message.
    var size: Int { storage.pointee.bytes.capacity + tape.size }

    /// Notes that Foundation has to answer.
    ///
    /// - Returns: An error to throw. Only the message's own code can catch it: Foundation decodes
    ///   the message anew.
    @inline(never)
    func beyond() -> any Error {
        isBeyond = true
        return MalformedInput("it is not for this decoder")
    }

    /// The number that is not of the type that was asked for. Foundation may still take it.
    struct NumberMisfit: Error {
        let index: Int
        let type: Any.Type
    }

    /// Notes that Foundation has to answer for a number.
    ///
    /// - Returns: An error to throw, as of ``beyond()``.
    @inline(never)
    func beyond(number index: Int, as type: Any.Type) -> any Error {
        let error = beyond()
        let isNumber = tape[index].kind == .integer || tape[index].kind == .number
        return isNumber ? NumberMisfit(index: index, type: type) : error
    }

    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        storage.pointee.bytes.withBytes(body)
    }

    // MARK: - Members

    /// Returns the index of a member's value in the object at `object`; nil if there is none.
    ///
    /// Begins with the key that was found last, and goes on to the one behind it: members are most
    /// often asked for in their order.
    func find(_ key: String, in object: Int) -> Int? {
        let entry = tape[object]
        let (start, last, end) = (object + 1, Int(entry.start), Int(entry.next))
        var key = key
        let found = key.withUTF8 { key in
            search(key, last..<end) ?? search(key, start..<last)
        }
        if let found {
            storage.pointee.tape.found(found, in: object)
            return found + 1
        }
        // A character outside ASCII may be equal to one of ASCII.
        if !key.utf8.allSatisfy({ $0 < 0x80 }) { _ = beyond() }
        return nil
    }

    /// Returns the first entry with this key among those of an object's members.
    @inline(__always)
    private func search(_ key: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        withBytes { bytes in
            var index = range.lowerBound
            while index < range.upperBound {
                if isEqual(tape[index], key, bytes) { return index }
                index = Int(tape[index + 1].next)
            }
            return nil
        }
    }

    @inline(__always)
    private func isEqual(
        _ entry: JSONTape.Entry, _ key: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        guard Int(entry.end - entry.start) == key.count else { return false }
        guard let own = bytes.baseAddress, let other = key.baseAddress else { return true }
        return memcmp(own + Int(entry.start), other, key.count) == 0
    }

    /// The most members of an object for which ``mayHaveTwins(in:)`` looks.
    private static var mostMembers: Int { 32 }

    /// Whether the object at `object` may have a key twice.
    func mayHaveTwins(in object: Int) -> Bool {
        let entry = tape[object]
        if entry.end > Self.mostMembers { return true }
        return withBytes { bytes in
            var key = object + 1
            while key < entry.next {
                let (start, end) = (Int(tape[key].start), Int(tape[key].end))
                let next = Int(tape[key + 1].next)
                let isThere = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    .withMemoryRebound(to: UInt8.self) { search($0, next..<Int(entry.next)) != nil }
                if isThere { return true }
                key = next
            }
            return false
        }
    }

    /// The keys of the object at `object`.
    func keys(of object: Int) -> [String] {
        var keys: [String] = []
        var key = object + 1
        while key < tape[object].next {
            keys.append(text(of: tape[key]))
            key = Int(tape[key + 1].next)
        }
        return keys
    }

    /// The text of a string in which nothing is escaped.
    func text(of entry: JSONTape.Entry) -> String {
        withBytes { bytes in
            String(decoding: bytes[Int(entry.start)..<Int(entry.end)], as: UTF8.self)
        }
    }
}
