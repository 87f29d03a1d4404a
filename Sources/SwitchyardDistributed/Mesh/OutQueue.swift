// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What waits to be written to one connection, and how far that has come.
///
/// A state machine without a lock or a socket of its own. Notifications stand in the mesh's ``FrameLog``,
/// and this has the places; what is this connection's alone stands in `own`. Whoever writes takes a good
/// part of it at once, and puts it together in an ``OutBatch``.
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

    /// How many bytes of the batch have not left, and how many have.
    private var leavingCount = 0
    private(set) var left = 0
    /// How many notifications the batch took out of the log; 0 once some of it has left.
    private var takenNotifications: UInt64 = 0
    /// Whether the writer has the batch in its hands.
    private(set) var isLeaving = false

    /// How many bytes wait.
    var count: Int { control.count + own.count - head + runs.bytes + leavingCount }
    /// Whether what comes now may be written at once.
    var isEmpty: Bool { !isLeaving && count == 0 }

    /// Puts in a frame that stands in the log for this connection alone, behind the notifications.
    mutating func append(unnumbered place: LogPlace) { runs.append(unnumbered: place) }

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
    mutating func startLeaving(
        with rest: UnsafeRawBufferPointer, ofNotification: Bool, in batch: inout OutBatch
    ) {
        batch.begin(with: rest, ofNotification: ofNotification)
        (left, leavingCount) = (0, rest.count)
    }

    /// How many bytes of frames about the connection itself wait.
    var controlCount: Int { control.count }

    mutating func appendControl(_ frame: UnsafeRawBufferPointer) { control.append(bytes: frame) }

    /// Gives the writer what waits.
    ///
    /// - Returns: Whether there is anything to write.
    mutating func beginLeaving(in batch: inout OutBatch) -> Bool {
        if leavingCount == 0 { refill(&batch) }
        isLeaving = leavingCount > 0
        return isLeaving
    }

    /// Takes note of what was written.
    mutating func leave(_ count: Int) {
        left += count
        leavingCount -= count
        takenNotifications = 0
    }

    private mutating func refill(_ batch: inout OutBatch) {
        batch.clear()
        (left, takenNotifications) = (0, 0)
        if control.count > 0 {
            // Seldom; notifications follow in the next turn.
            swap(&control, &batch.bytes)
            leavingCount = batch.bytes.count
        } else if own.count > head {
            takeOwn(&batch)
            leavingCount = batch.bytes.count
        } else {
            leavingCount = runs.bytes
            let taken = runs.take(Self.mostAtOnce)
            leavingCount -= runs.bytes
            takenNotifications = taken.reduce(0) { $0 + $1.nextSequence - $1.sequence }
            waitingNotifications -= takenNotifications
            batch.take(taken)
        }
    }

    /// About so much is given to the writer at once: more than a socket takes, and little enough to be
    /// in the processor's cache still when it is written. What the writer has can't be given up.
    private static var mostAtOnce: Int { 256 * 1024 }

    /// Gives the writer the first frames of the connection's own.
    private mutating func takeOwn(_ batch: inout OutBatch) {
        own.withBytes { bytes in
            var end = head
            repeat {
                if Self.isNotification(bytes, at: end) { waitingNotifications -= 1 }
                end += Self.frameLength(bytes, at: end)
            } while end < bytes.count && end - head < Self.mostAtOnce
            batch.bytes.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[head..<end]))
            head = end
        }
        moveToFront()
    }

    /// Gives memory back that a burst has taken. Only while nothing waits.
    mutating func trim() {
        own.removeAll()
        control.removeAll()
        runs = LogRuns()
        (head, left) = (0, 0)
    }

    /// How many notifications have not been written to the end.
    func notificationsThatWait(with batch: borrowing OutBatch) -> UInt64 {
        // The writer may be about to copy what it took: that is not to be looked at.
        waitingNotifications
            + (takenNotifications > 0 ? takenNotifications : batch.notifications(behind: left))
    }

    static func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
        let length = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return WireFormat.lengthBytes + Int(UInt32(littleEndian: length))
    }
}
