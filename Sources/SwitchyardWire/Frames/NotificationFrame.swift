// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A notification in a frame. Valid for as long as the frame's bytes are.
@usableFromInline
package struct NotificationFrame {
    @inlinable package static var hasObject: UInt8 { 1 }
    @inlinable package static var isImmediate: UInt8 { 2 }
    @inlinable package static var isTraced: UInt8 { 4 }
    @inlinable package static var isKept: UInt8 { 8 }

    @usableFromInline package let flags: UInt8
    @usableFromInline package let kind: PayloadKind
    @usableFromInline package let sequence: UInt64
    /// The bytes of the name and, right behind them, those of the object.
    @usableFromInline package let topic: UnsafeRawBufferPointer
    @usableFromInline package let nameLength: Int
    @usableFromInline package let payload: UnsafeRawBufferPointer

    /// Reads a notification.
    ///
    /// - Parameter frame: The frame, with its type and without its length.
    @inlinable @inline(__always)
    package init(_ frame: UnsafeRawBufferPointer) throws {
        // Offsets of the format count the length, which is not part of `frame`.
        let head = WireFormat.notificationHead - WireFormat.lengthBytes
        guard frame.count >= head else { throw WireError("a notification of \(frame.count) bytes") }
        flags = frame[1]
        guard let kind = PayloadKind(rawValue: frame[2]) else {
            throw WireError("a payload of kind \(frame[2])")
        }
        self.kind = kind
        sequence = UInt64(
            littleEndian: frame.loadUnaligned(
                fromByteOffset: WireFormat.sequenceOffset - WireFormat.lengthBytes,
                as: UInt64.self))
        let objectLength = Int(
            UInt32(littleEndian: frame.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        nameLength = Int(
            UInt16(littleEndian: frame.loadUnaligned(fromByteOffset: 16, as: UInt16.self)))
        let topicEnd = head + nameLength + objectLength
        guard topicEnd <= frame.count else {
            throw WireError("a notification whose name and object do not fit into its frame")
        }
        topic = UnsafeRawBufferPointer(rebasing: frame[head..<topicEnd])
        payload = UnsafeRawBufferPointer(rebasing: frame[topicEnd...])
    }

    @inlinable package var hasObject: Bool { flags & Self.hasObject != 0 }
    @inlinable package var isImmediate: Bool { flags & Self.isImmediate != 0 }
    /// Whether it is kept for observers that come late. Then its payload begins with the time of
    /// the post: 8 bytes.
    @inlinable package var isKept: Bool { flags & Self.isKept != 0 }
    /// Whether somebody traces this notification in the posting process.
    @inlinable package var isTraced: Bool { flags & Self.isTraced != 0 }
}

extension ByteWriter {
    /// Writes a notification's frame, with a sequence number that is put in later.
    @inlinable @inline(__always)
    package mutating func appendNotification(
        flags: UInt8, _ kind: PayloadKind, topic: UnsafeRawBufferPointer, nameLength: Int,
        payload: UnsafeRawBufferPointer
    ) {
        let length = WireFormat.notificationHead + topic.count + payload.count
        reserve(length)
        append(UInt32(truncatingIfNeeded: length - WireFormat.lengthBytes))
        append(FrameType.notification.rawValue)
        append(flags)
        append(kind.rawValue)
        append(UInt8(0))
        append(UInt64(0))
        append(UInt32(truncatingIfNeeded: topic.count - nameLength))
        append(UInt16(truncatingIfNeeded: nameLength))
        append(UInt16(0))
        append(bytes: topic)
        append(bytes: payload)
    }
}
