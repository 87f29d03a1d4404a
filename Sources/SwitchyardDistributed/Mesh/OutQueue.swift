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
    /// How much at the beginning of `leaving` is the rest of a frame.
    private var rest = 0
    private var isRestOfNotification = false
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
    mutating func startLeaving(with rest: UnsafeRawBufferPointer, ofNotification: Bool) {
        leaving.removeAll(keepingCapacity: true)
        left = 0
        leaving.append(bytes: rest)
        self.rest = rest.count
        isRestOfNotification = ofNotification
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
        (left, rest) = (0, 0)
        leaving.removeAll(keepingCapacity: true)
        if control.count > 0 {
            // Seldom; notifications follow in the next turn.
            swap(&control, &leaving)
        } else if head == 0, waiting.count <= Self.mostAtOnce {
            swap(&waiting, &leaving)
        } else {
            takeSome()
        }
    }

    /// No more than this is given to the writer at once: what it has can't be given up any more.
    private static var mostAtOnce: Int { 1024 * 1024 }

    /// Gives the writer the first frames that wait.
    private mutating func takeSome() {
        waiting.withBytes { bytes in
            var end = head
            repeat {
                end += Self.frameLength(bytes, at: end)
            } while end < bytes.count && end - head < Self.mostAtOnce
            leaving.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[head..<end]))
            head = end
        }
        moveToFront()
    }

    /// Gives memory back that a burst has taken. Only while nothing waits.
    mutating func trim() {
        waiting.removeAll()
        leaving.removeAll()
        control.removeAll()
        (head, left, rest) = (0, 0, 0)
    }

    /// How many notifications have not been written to the end.
    var notificationsThatWait: UInt64 {
        Self.notifications(in: waiting, from: head, endingBehind: head)
            + Self.notifications(in: leaving, from: rest, endingBehind: left)
            + (left < rest && isRestOfNotification ? 1 : 0)
    }

    /// Counts the frames from `start` on that end behind `place`.
    private static func notifications(
        in frames: borrowing ByteWriter, from start: Int, endingBehind place: Int
    ) -> UInt64 {
        frames.withBytes { bytes in
            var count: UInt64 = 0
            var next = start
            while next < bytes.count {
                let end = next + frameLength(bytes, at: next)
                if end > place, isNotification(bytes, at: next) { count += 1 }
                next = end
            }
            return count
        }
    }

    static func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
        let length = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return WireFormat.lengthBytes + Int(UInt32(littleEndian: length))
    }
}
