// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What waits to be written to one connection, and how far that has come.
///
/// A state machine without a lock or a socket of its own. Notifications stand in the mesh's ``FrameLog``,
/// and this has the places; what is this connection's alone stands in `own`. Whoever writes takes a good
/// part of it at once, and copies it together: that is his alone until it is through.
struct OutQueue: ~Copyable {
    /// Frames about the connection itself: they leave before the notifications that wait.
    private var control = ByteWriter()
    /// Whole frames that are in no log, all older than those in `runs`.
    var own = ByteWriter()
    /// Where in `own` the first frame begins that was not given up.
    var head = 0
    private var runs = LogRuns()
    /// How many notifications wait in `own` and `runs`.
    var waitingNotifications: UInt64 = 0

    /// What the writer writes. Touched by it alone while ``isLeaving``.
    private(set) var leaving = ByteWriter()
    /// What the writer still has to copy there.
    private var taken: [LogRun] = []
    /// How many bytes of both have not left, and how many have.
    private var leavingCount = 0
    private(set) var left = 0
    /// How much at the beginning of `leaving` is the rest of a frame.
    private var rest = 0
    private var isRestOfNotification = false
    /// How many notifications the writer took out of the log; 0 once some of it has left.
    private var takenNotifications: UInt64 = 0
    /// Whether the writer has `leaving` in its hands.
    private(set) var isLeaving = false

    /// How many bytes wait.
    var count: Int { control.count + own.count - head + runs.bytes + leavingCount }
    /// Whether what comes now may be written at once.
    var isEmpty: Bool { !isLeaving && count == 0 }

    /// Puts in a frame that is for this connection alone.
    mutating func append(_ frame: UnsafeRawBufferPointer) {
        leaveLog()
        own.append(bytes: frame)
    }

    /// Puts in a notification's frame, with its sequence number.
    mutating func append(_ frame: UnsafeRawBufferPointer, sequence: UInt64) {
        leaveLog()
        let start = own.count
        own.append(bytes: frame)
        own.patch(sequence: sequence, at: start + WireFormat.sequenceOffset)
        waitingNotifications += 1
    }

    /// Puts in a notification that stands in the log.
    @inline(__always)
    mutating func append(_ place: LogPlace, sequence: UInt64) {
        waitingNotifications += 1
        if runs.extend(place, sequence) { return }
        // Scattered far, they would keep much of the log for little.
        if runs.isScattered(place) { leaveLog() }
        runs.append(place, sequence)
    }

    /// Copies what waits out of the log.
    mutating func leaveLog() {
        if runs.bytes == 0 { return }
        for run in runs.take(.max) { run.copy(to: &own) }
    }

    /// Begins with the rest of what was written in part. Only while this is empty.
    mutating func startLeaving(with rest: UnsafeRawBufferPointer, ofNotification: Bool) {
        leaving.removeAll(keepingCapacity: true)
        left = 0
        leaving.append(bytes: rest)
        leavingCount = rest.count
        self.rest = rest.count
        isRestOfNotification = ofNotification
    }

    /// How many bytes of frames about the connection itself wait.
    var controlCount: Int { control.count }

    mutating func appendControl(_ frame: UnsafeRawBufferPointer) { control.append(bytes: frame) }

    /// Gives the writer what waits, for it to ``copyTaken()`` and write.
    ///
    /// - Returns: Whether there is anything to write.
    mutating func beginLeaving() -> Bool {
        if leavingCount == 0 { refill() }
        isLeaving = leavingCount > 0
        return isLeaving
    }

    /// Puts together what is to be written. The writer does so, without a lock.
    mutating func copyTaken() {
        if taken.isEmpty { return }
        for run in taken { run.copy(to: &leaving) }
        taken.removeAll(keepingCapacity: true)
    }

    /// Takes note of what was written.
    mutating func leave(_ count: Int) {
        left += count
        leavingCount -= count
        takenNotifications = 0
    }

    private mutating func refill() {
        (left, rest, takenNotifications) = (0, 0, 0)
        leaving.removeAll(keepingCapacity: true)
        if control.count > 0 {
            // Seldom; notifications follow in the next turn.
            swap(&control, &leaving)
            leavingCount = leaving.count
        } else if own.count > head {
            takeOwn()
        } else {
            leavingCount = runs.bytes
            taken = runs.take(Self.mostAtOnce)
            leavingCount -= runs.bytes
            takenNotifications = taken.reduce(0) { $0 + $1.nextSequence - $1.sequence }
            waitingNotifications -= takenNotifications
        }
    }

    /// About so much is given to the writer at once: more than a socket takes, and little enough to be
    /// in the processor's cache still when it is written. What the writer has can't be given up.
    private static var mostAtOnce: Int { 256 * 1024 }

    /// Gives the writer the first frames of the connection's own.
    private mutating func takeOwn() {
        own.withBytes { bytes in
            var end = head
            repeat {
                if Self.isNotification(bytes, at: end) { waitingNotifications -= 1 }
                end += Self.frameLength(bytes, at: end)
            } while end < bytes.count && end - head < Self.mostAtOnce
            leaving.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[head..<end]))
            head = end
        }
        leavingCount = leaving.count
        moveToFront()
    }

    /// Gives memory back that a burst has taken. Only while nothing waits.
    mutating func trim() {
        own.removeAll()
        leaving.removeAll()
        control.removeAll()
        runs = LogRuns()
        taken = []
        (head, left, rest) = (0, 0, 0)
    }

    /// How many notifications have not been written to the end.
    var notificationsThatWait: UInt64 {
        if takenNotifications > 0 {
            // The writer may be about to copy them: that is not to be looked at.
            return waitingNotifications + takenNotifications
        }
        return waitingNotifications
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
