// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// What is given up when too much waits. Frames that the writer has are not touched.
extension OutQueue {
    /// Gives up the oldest frames that wait until `count` bytes are freed, or all are.
    ///
    /// - Returns: How many notifications were among them.
    mutating func dropOldest(_ count: Int) -> UInt64 {
        leaveLog()
        var dropped: UInt64 = 0
        let start = head
        own.withBytes { bytes in
            while head - start < count, head < bytes.count {
                if Self.isNotification(bytes, at: head) { dropped += 1 }
                head += Self.frameLength(bytes, at: head)
            }
        }
        moveToFront()
        waitingNotifications -= dropped
        return dropped
    }

    /// Of the notifications that wait with the same name and object, gives up all but the last.
    ///
    /// - Returns: How many.
    mutating func keepLatest() -> UInt64 {
        leaveLog()
        var kept = ByteWriter(capacity: own.count - head)
        var dropped: UInt64 = 0
        own.withBytes { bytes in
            let last = Self.lastPlaces(in: bytes, from: head)
            var place = head
            while place < bytes.count {
                let end = place + Self.frameLength(bytes, at: place)
                let topic = Self.topic(of: bytes, at: place)
                if let topic, last[topic] != place {
                    dropped += 1
                } else {
                    kept.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
                }
                place = end
            }
        }
        swap(&kept, &own)
        head = 0
        waitingNotifications -= dropped
        return dropped
    }

    /// Where the last notification of each name and object stands.
    private static func lastPlaces(
        in bytes: UnsafeRawBufferPointer, from start: Int
    ) -> [TopicKey: Int] {
        var last: [TopicKey: Int] = [:]
        var place = start
        while place < bytes.count {
            if let topic = topic(of: bytes, at: place) { last[topic] = place }
            place += frameLength(bytes, at: place)
        }
        return last
    }

    /// The name and object of a notification, where they stand.
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

    /// What tells a notification from those of other names and objects; nil for what is none.
    private static func topic(of bytes: UnsafeRawBufferPointer, at place: Int) -> TopicKey? {
        guard isNotification(bytes, at: place) else { return nil }
        let start = place + WireFormat.lengthBytes
        let frame = UnsafeRawBufferPointer(
            rebasing: bytes[start..<place + frameLength(bytes, at: place)])
        guard let notification = try? NotificationFrame(frame) else { return nil }
        return TopicKey(
            nameLength: notification.nameLength, hasObject: notification.hasObject,
            bytes: notification.topic)
    }

    static func isNotification(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        bytes[place + WireFormat.lengthBytes] == FrameType.notification.rawValue
    }

    /// Frees what stands before `head`, once that is the greater part.
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
