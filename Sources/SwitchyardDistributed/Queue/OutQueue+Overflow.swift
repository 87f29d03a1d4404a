// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

// The overflow policies. They don't touch the frames that the writer has taken.
extension OutQueue {
    /// Drops the oldest queued frames until `count` bytes are free, or none is left.
    ///
    /// - Returns: The number of notifications among them.
    mutating func dropOldest(_ count: Int) -> UInt64 {
        leaveLog()
        var dropped: UInt64 = 0
        var freed = 0
        // Frames of centers, which stay: usually none.
        var kept = ByteWriter()
        own.withBytes { bytes in
            // The frames before a notification that belong to it, such as its context.
            var start = head
            var offset = head
            while freed < count, offset < bytes.count {
                let end = offset + bytes.frameLength(at: offset)
                defer { offset = end }
                guard bytes.isNotification(at: offset) else { continue }
                if Self.isForCenters(bytes, at: offset) {
                    kept.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                } else {
                    dropped += 1
                    freed += end - start
                }
                start = end
            }
            head = start
            if kept.count > 0 {
                kept.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
        }
        if kept.count > 0 {
            swap(&kept, &own)
            head = 0
        }
        moveToFront()
        waitingNotifications -= dropped
        return dropped
    }

    /// Drops all but the last of the queued notifications with the same name and object.
    ///
    /// - Returns: The number of dropped notifications.
    mutating func keepLatest() -> UInt64 {
        leaveLog()
        var kept = ByteWriter(capacity: own.count - head)
        var dropped: UInt64 = 0
        own.withBytes { bytes in
            let last = Self.lastOffsets(in: bytes, from: head)
            var offset = head
            while offset < bytes.count {
                let end = offset + bytes.frameLength(at: offset)
                let topic = Self.topic(of: bytes, at: offset)
                if let topic, last[topic] != offset {
                    dropped += 1
                } else {
                    kept.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
                }
                offset = end
            }
        }
        swap(&kept, &own)
        head = 0
        waitingNotifications -= dropped
        return dropped
    }

    /// Returns the position of the last notification of each name and object.
    private static func lastOffsets(
        in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> [TopicKey: Int] {
        var last: [TopicKey: Int] = [:]
        var offset = start
        while offset < bytes.count {
            if let topic = topic(of: bytes, at: offset) { last[topic] = offset }
            offset += bytes.frameLength(at: offset)
        }
        return last
    }

    /// The name and object of a notification, referring to the queue's bytes.
    private struct TopicKey: Hashable {
        let nameLength: Int
        let hasObject: Bool
        let bytes: UnsafeRawBufferPointer

        static func == (left: Self, right: Self) -> Bool {
            left.nameLength == right.nameLength && left.hasObject == right.hasObject
                && left.bytes.elementsEqual(right.bytes)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }

    /// Returns the name and object of the notification at `offset`; nil if the frame there is no
    /// notification, or one of centers to each other: none of those takes the place of another.
    private static func topic(of bytes: UnsafeRawBufferPointer, at offset: Int) -> TopicKey? {
        guard bytes.isNotification(at: offset) else { return nil }
        let start = offset + WireFormat.lengthBytes
        let frame = UnsafeRawBufferPointer(
            rebasing: bytes[start..<offset + bytes.frameLength(at: offset)])
        guard !isForCenters(bytes, at: offset), let notification = try? NotificationFrame(frame)
        else { return nil }
        return TopicKey(
            nameLength: notification.nameLength, hasObject: notification.hasObject,
            bytes: notification.topic)
    }

    /// Returns whether the notification at `offset` is one of centers to each other: a request, an
    /// answer, or a group's job. Its loss would leave somebody waiting.
    static func isForCenters(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        let start = offset + WireFormat.lengthBytes
        let frame = UnsafeRawBufferPointer(
            rebasing: bytes[start..<offset + bytes.frameLength(at: offset)])
        guard let notification = try? NotificationFrame(frame) else { return false }
        let name = notification.topic.prefix(notification.nameLength)
        return WireFormat.memberNames.contains {
            name.count == $0.utf8.count && name.elementsEqual($0.utf8)
        }
    }

    /// Frees the bytes before `head`, once they are the greater part.
    mutating func moveToFront() {
        if head == own.count {
            own.removeAll(keepingCapacity: true)
            head = 0
        } else if head > own.count / 2 {
            var rest = ByteWriter(capacity: own.count)
            own.withBytes { rest.append(bytes: UnsafeRawBufferPointer(rebasing: $0[head...])) }
            swap(&rest, &own)
            head = 0
        }
    }
}
