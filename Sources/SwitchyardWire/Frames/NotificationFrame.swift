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
        guard frame.count >= head, let start = frame.baseAddress else {
            throw WireError("a notification of \(frame.count) bytes")
        }
        flags = start.load(fromByteOffset: 1, as: UInt8.self)
        let kind = start.load(fromByteOffset: 2, as: UInt8.self)
        guard let kind = PayloadKind(rawValue: kind) else {
            throw WireError("a payload of kind \(kind)")
        }
        self.kind = kind
        sequence = UInt64(
            littleEndian: start.loadUnaligned(
                fromByteOffset: WireFormat.sequenceOffset - WireFormat.lengthBytes,
                as: UInt64.self))
        let objectLength = Int(
            UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
        nameLength = Int(
            UInt16(littleEndian: start.loadUnaligned(fromByteOffset: 16, as: UInt16.self)))
        // The length of the object may be anything: no sum with it is made before this.
        guard objectLength <= frame.count &- head &- nameLength else {
            throw WireError("a notification whose name and object do not fit into its frame")
        }
        let topicLength = nameLength &+ objectLength
        let topicEnd = head &+ topicLength
        // Within the frame, as was just checked; checked slices would do so once more.
        topic = UnsafeRawBufferPointer(start: start + head, count: topicLength)
        payload = UnsafeRawBufferPointer(start: start + topicEnd, count: frame.count &- topicEnd)
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
        let head = WireFormat.notificationHead
        let length = head &+ topic.count &+ payload.count
        // Room is made once for the whole frame: this is the innermost loop of a busy poster.
        let frame = extend(by: length)
        func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
            frame.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        }
        put(UInt32(truncatingIfNeeded: length &- WireFormat.lengthBytes), at: 0)
        put(FrameType.notification.rawValue, at: 4)
        put(flags, at: 5)
        put(kind.rawValue, at: 6)
        put(UInt8(0), at: 7)
        put(UInt64(0), at: 8)
        put(UInt32(truncatingIfNeeded: topic.count &- nameLength), at: 16)
        put(UInt16(truncatingIfNeeded: nameLength), at: 20)
        put(UInt16(0), at: 22)
        if let source = topic.baseAddress {
            (frame + head).copyMemory(from: source, byteCount: topic.count)
        }
        if let source = payload.baseAddress {
            (frame + head + topic.count).copyMemory(from: source, byteCount: payload.count)
        }
    }
}
