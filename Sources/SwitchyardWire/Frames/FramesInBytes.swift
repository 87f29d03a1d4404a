// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Frames one after the other, as they wait to be written.
extension UnsafeRawBufferPointer {
    /// Returns the length of the frame at an offset, with its length field.
    @inlinable package func frameLength(at offset: Int) -> Int {
        let length = loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return WireFormat.lengthBytes + Int(UInt32(littleEndian: length))
    }

    /// Returns whether the frame at an offset is a notification.
    @inlinable package func isNotification(at offset: Int) -> Bool {
        self[offset + WireFormat.lengthBytes] == FrameType.notification.rawValue
    }
}
