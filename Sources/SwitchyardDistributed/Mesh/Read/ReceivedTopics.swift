// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// The names and objects of recent notifications, as strings. Making the strings again for each
/// notification would take longer than everything else.
///
/// All of it belongs to the reading thread.
final class ReceivedTopics {
    private final class Known {
        // Raw memory: comparing an array's bytes would count references.
        let bytes: UnsafeMutableRawBufferPointer
        let nameLength: Int
        let hasObject: Bool
        let topic: ReceivedTopic

        init(_ frame: NotificationFrame, _ topic: ReceivedTopic) {
            bytes = .allocate(byteCount: frame.topic.count, alignment: 8)
            bytes.copyMemory(from: frame.topic)
            nameLength = frame.nameLength
            hasObject = frame.hasObject
            self.topic = topic
        }

        deinit { bytes.deallocate() }

        @inline(__always)
        func matches(_ frame: NotificationFrame) -> Bool {
            nameLength == frame.nameLength && hasObject == frame.hasObject
                && UnsafeRawBufferPointer(bytes).isSame(as: frame.topic)
        }
    }

    /// The number of slots: one for each value of a byte, and one for all long topics, which a peer
    /// could otherwise fill memory with.
    private static let count = 257
    private static let longest = 1024

    /// The recent topics, retained by this object, and behind them the last one once more: most
    /// often the next notification has the same. Allocated separately, because looking something up
    /// in an array counts references.
    private let known: UnsafeMutablePointer<Unmanaged<Known>?>

    init() {
        known = .allocate(capacity: Self.count + 1)
        known.initialize(repeating: nil, count: Self.count + 1)
    }

    deinit {
        for slot in 0..<Self.count { known[slot]?.release() }
        known.deallocate()
    }

    /// Returns the name and object that a notification is matched by. Valid until the next call.
    ///
    /// - Throws: ``MalformedBytes`` if name or object are not UTF-8.
    @inline(__always)
    func find(_ frame: NotificationFrame) throws -> Unmanaged<ReceivedTopic> {
        if let last = known[Self.count], last._withUnsafeGuaranteedRef({ $0.matches(frame) }) {
            return last._withUnsafeGuaranteedRef { .passUnretained($0.topic) }
        }
        return try findInTable(frame)
    }

    @inline(never)
    private func findInTable(_ frame: NotificationFrame) throws -> Unmanaged<ReceivedTopic> {
        let slot = Self.slot(of: frame.topic)
        if let found = known[slot], found._withUnsafeGuaranteedRef({ $0.matches(frame) }) {
            known[Self.count] = found
            return found._withUnsafeGuaranteedRef { .passUnretained($0.topic) }
        }
        return try make(frame, at: slot)
    }

    private func make(
        _ frame: NotificationFrame, at slot: Int
    ) throws -> Unmanaged<ReceivedTopic> {
        var reader = ByteReader(frame.topic)
        let name = try reader.readString(count: frame.nameLength)
        let object = try reader.readString(count: reader.remaining)
        let topic = ReceivedTopic(name: name, object: frame.hasObject ? object : nil)
        let fresh = Unmanaged.passRetained(Known(frame, topic))
        known[slot]?.release()
        known[slot] = fresh
        known[Self.count] = fresh
        return .passUnretained(topic)
    }

    /// Returns the slot of a topic in the table, from eight bytes at each end and the length: names
    /// that programs use differ there.
    @inline(__always)
    private static func slot(of bytes: UnsafeRawBufferPointer) -> Int {
        if bytes.count > longest { return count - 1 }
        var mixed = UInt64(truncatingIfNeeded: bytes.count)
        if bytes.count >= 8 {
            mixed ^= bytes.loadUnaligned(as: UInt64.self)
            mixed &*= 0x9FB2_1C65_1E98_DF25
            mixed ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            for byte in bytes { mixed = mixed &* 31 &+ UInt64(byte) }
        }
        mixed &*= 0x9FB2_1C65_1E98_DF25
        return Int(truncatingIfNeeded: mixed >> 56)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether the bytes are the same. Made for short texts: a call of `memcmp` takes longer
    /// than their comparison.
    @inline(__always)
    fileprivate func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        if count != other.count { return false }
        if count > 16 { return elementsEqualByMemory(other) }
        if count >= 8 { return isSame(as: other, ends: UInt64.self) }
        if count >= 4 { return isSame(as: other, ends: UInt32.self) }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }

    /// Compares the first and the last bytes, which overlap in the middle.
    @inline(__always)
    private func isSame<Part: FixedWidthInteger & BitwiseCopyable>(
        as other: UnsafeRawBufferPointer, ends part: Part.Type
    ) -> Bool {
        let last = count - MemoryLayout<Part>.size
        return loadUnaligned(as: part) == other.loadUnaligned(as: part)
            && loadUnaligned(fromByteOffset: last, as: part)
                == other.loadUnaligned(fromByteOffset: last, as: part)
    }

    private func elementsEqualByMemory(_ other: UnsafeRawBufferPointer) -> Bool {
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
