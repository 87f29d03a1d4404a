// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// The names and objects that came lately, as strings: to make these again for each notification
/// would take longer than all else.
struct ReceivedTopics {
    private struct Known {
        let bytes: [UInt8]
        let nameLength: Int
        let hasObject: Bool
        let topic: ReceivedTopic
    }

    private var known: [Known?] = Array(repeating: nil, count: 256)

    /// - Throws: when they are no UTF-8.
    @inline(__always)
    mutating func find(_ frame: NotificationFrame) throws -> ReceivedTopic {
        let place = Self.place(of: frame.topic)
        if let known = known[place], known.nameLength == frame.nameLength,
            known.hasObject == frame.hasObject, known.bytes.count == frame.topic.count,
            known.bytes.withUnsafeBytes({ Self.areEqual($0, frame.topic) })
        {
            return known.topic
        }
        return try make(frame, at: place)
    }

    private mutating func make(_ frame: NotificationFrame, at place: Int) throws -> ReceivedTopic {
        var reader = ByteReader(frame.topic)
        let name = try reader.readString(count: frame.nameLength)
        let object = try reader.readString(count: reader.remaining)
        let topic = ReceivedTopic(name: name, object: frame.hasObject ? object : nil)
        // Long ones are not kept: 256 of them would take up a lot.
        if frame.topic.count <= 1024 {
            known[place] = Known(
                bytes: Array(frame.topic), nameLength: frame.nameLength,
                hasObject: frame.hasObject, topic: topic)
        }
        return topic
    }

    /// Looks at eight bytes of each end, and at the length: what programs call things differs there.
    @inline(__always)
    private static func place(of bytes: UnsafeRawBufferPointer) -> Int {
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

    @inline(__always)
    private static func areEqual(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else {
            return left.count == right.count
        }
        return memcmp(leftStart, rightStart, right.count) == 0
    }
}
