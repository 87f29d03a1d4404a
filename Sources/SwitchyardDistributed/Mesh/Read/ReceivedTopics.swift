// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

/// The names and objects of recent notifications, as strings. Making the strings again for each
/// notification would take longer than everything else.
///
/// All of it belongs to the reading thread.
final class ReceivedTopics {
    private final class Known {
        let bytes: [UInt8]
        let nameLength: Int
        let hasObject: Bool
        let topic: ReceivedTopic

        init(_ frame: NotificationFrame, _ topic: ReceivedTopic) {
            bytes = Array(frame.topic)
            nameLength = frame.nameLength
            hasObject = frame.hasObject
            self.topic = topic
        }

        @inline(__always)
        func matches(_ frame: NotificationFrame) -> Bool {
            guard nameLength == frame.nameLength, hasObject == frame.hasObject,
                bytes.count == frame.topic.count
            else { return false }
            guard let start = frame.topic.baseAddress else { return true }
            return bytes.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, $0.count) == 0 }
        }
    }

    private static let count = 256

    /// The recent topics, retained by this object. Allocated separately, because looking something
    /// up in an array counts references.
    private let known: UnsafeMutablePointer<Unmanaged<Known>?>

    init() {
        known = .allocate(capacity: Self.count)
        known.initialize(repeating: nil, count: Self.count)
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
        let slot = Self.slot(of: frame.topic)
        if let known = known[slot], known._withUnsafeGuaranteedRef({ $0.matches(frame) }) {
            return known._withUnsafeGuaranteedRef { .passUnretained($0.topic) }
        }
        return try make(frame, at: slot)
    }

    @inline(never)
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
        return .passUnretained(topic)
    }

    /// Returns the slot of a topic in the table, from eight bytes at each end and the length: names
    /// that programs use differ there.
    @inline(__always)
    private static func slot(of bytes: UnsafeRawBufferPointer) -> Int {
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
