// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What waits to be written to one connection, and how far that has come.
///
/// A state machine without a lock or a socket of its own. Bytes go in at the end of `waiting`; whoever
/// writes takes all of it at once into `leaving`, which is then his alone until it is through.
struct OutQueue: ~Copyable {
    /// Frames about the connection itself: they leave before the notifications that wait.
    private var control = ByteWriter()
    /// Whole frames.
    var waiting = ByteWriter()
    /// Where in `waiting` the first frame begins that was not given up.
    var head = 0
    /// What the writer writes. Touched by it alone while ``isLeaving``.
    private(set) var leaving = ByteWriter()
    private(set) var left = 0
    /// Whether the writer has `leaving` in its hands.
    private(set) var isLeaving = false

    /// How many bytes wait.
    var count: Int { control.count + waiting.count - head + leaving.count - left }
    /// Whether what comes now may be written at once.
    var isEmpty: Bool { !isLeaving && count == 0 }

    mutating func append(_ frame: UnsafeRawBufferPointer) { waiting.append(bytes: frame) }

    /// Puts in a notification's frame, with its sequence number.
    @inline(__always)
    mutating func append(_ frame: UnsafeRawBufferPointer, sequence: UInt64) {
        let start = waiting.count
        waiting.append(bytes: frame)
        waiting.patch(sequence: sequence, at: start + WireFormat.sequenceOffset)
    }

    /// Begins with the rest of what was written in part. Only while this is empty.
    mutating func startLeaving(with rest: UnsafeRawBufferPointer) {
        leaving.removeAll(keepingCapacity: true)
        left = 0
        leaving.append(bytes: rest)
    }

    /// How many bytes of frames about the connection itself wait.
    var controlCount: Int { control.count }

    mutating func appendControl(_ frame: UnsafeRawBufferPointer) { control.append(bytes: frame) }

    /// Gives the writer what waits.
    ///
    /// - Returns: Whether there is anything to write.
    mutating func beginLeaving() -> Bool {
        if left == leaving.count { refill() }
        isLeaving = left < leaving.count
        return isLeaving
    }

    /// Takes note of what was written.
    mutating func leave(_ count: Int) { left += count }

    private mutating func refill() {
        left = 0
        leaving.removeAll(keepingCapacity: true)
        if control.count > 0 {
            // Seldom; notifications follow in the next turn.
            swap(&control, &leaving)
        } else if head == 0 {
            swap(&waiting, &leaving)
        } else {
            waiting.withBytes {
                leaving.append(bytes: UnsafeRawBufferPointer(rebasing: $0[head...]))
            }
            waiting.removeAll(keepingCapacity: true)
            head = 0
        }
    }

    /// Gives memory back that a burst has taken. Only while nothing waits.
    mutating func trim() {
        waiting.removeAll()
        leaving.removeAll()
        control.removeAll()
        (head, left) = (0, 0)
    }

    /// How many notifications wait that nobody writes yet.
    var notificationsThatWait: UInt64 {
        waiting.withBytes { bytes in
            var count: UInt64 = 0
            var place = head
            while place < bytes.count {
                if bytes[place + WireFormat.lengthBytes] == FrameType.notification.rawValue {
                    count += 1
                }
                place += Self.frameLength(bytes, at: place)
            }
            return count
        }
    }

    static func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
        let length = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return WireFormat.lengthBytes + Int(UInt32(littleEndian: length))
    }
}
