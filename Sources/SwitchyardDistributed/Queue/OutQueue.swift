// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The frames that wait to be written to one connection, and how far they have been written.
///
/// The queue is a state machine without a lock or a socket. Notifications stand in the mesh's
/// ``FrameLog``, and the queue has their positions; frames for this connection alone stand in
/// `control` and `own`. The writer takes many frames at once, and puts them together in an
/// ``OutBatch``.
struct OutQueue: ~Copyable {
    /// Frames about the connection itself: they leave before the notifications that wait.
    private var control = ByteWriter()
    /// Whole frames that are not in the log, all older than those in `runs`.
    var own = ByteWriter()
    /// The offset in `own` of the first frame that still waits.
    var head = 0
    private var runs = LogRuns()
    /// The number of notifications that wait in `own` and `runs`.
    var waitingNotifications: UInt64 = 0

    /// The number of bytes of the batch that have not been written.
    private var leavingCount = 0
    /// The number of bytes of the batch that have been written.
    private(set) var left = 0
    /// The number of notifications that the batch took out of the log; nil if it took nothing from
    /// there, and once some of its bytes have been written.
    private var takenNotifications: UInt64?
    /// Whether the writer is writing the batch.
    private(set) var isLeaving = false

    /// The number of bytes that wait.
    var count: Int {
        // Sizes of memory: no sum of them is too large.
        control.count &+ own.count &- head &+ runs.bytes &+ leavingCount
    }
    /// The number of bytes that the writer does not have yet.
    var waitingCount: Int { count - leavingCount }
    /// Whether nothing waits, so that a new frame may be written at once.
    var isEmpty: Bool { !isLeaving && count == 0 }

    /// Appends a frame in the log that is for this connection alone, and has no sequence number.
    mutating func append(unnumbered position: LogPosition) { runs.append(unnumbered: position) }

    /// Appends a copy of a notification's frame, with its sequence number.
    mutating func append(_ frame: UnsafeRawBufferPointer, sequence: UInt64) {
        leaveLog()
        let start = own.count
        own.append(bytes: frame)
        own.patch(sequence: sequence, at: start + WireFormat.sequenceOffset)
        waitingNotifications += 1
    }

    /// Appends a notification whose frame is in the log.
    @inline(__always)
    mutating func append(_ position: LogPosition, sequence: UInt64) {
        waitingNotifications &+= 1
        if runs.extend(position, sequence) { return }
        // Scattered runs would keep much of the log for few bytes.
        if runs.isScattered(position) { leaveLog() }
        runs.append(position, sequence)
    }

    /// Copies the frames that wait in the log to `own`.
    mutating func leaveLog() {
        if runs.bytes == 0 { return }
        for run in runs.take(.max) { run.copy(to: &own) }
    }

    /// Begins with the rest of a frame that was written in part. Only while the queue is empty.
    mutating func startLeaving(
        with rest: UnsafeRawBufferPointer, ofNotification: Bool, in batch: inout OutBatch
    ) {
        batch.begin(with: rest, ofNotification: ofNotification)
        (left, leavingCount) = (0, rest.count)
        takenNotifications = nil
    }

    /// Whether the batch has left, and less than `limit` bytes wait behind it.
    func hasLittle(below limit: Int) -> Bool { leavingCount == 0 && 0 < count && count < limit }

    /// The number of bytes of waiting frames about the connection itself.
    var controlCount: Int { control.count }

    mutating func appendControl(_ frame: UnsafeRawBufferPointer) { control.append(bytes: frame) }

    /// Refills the batch if all of it has left, and gives it to the writer.
    ///
    /// - Returns: Whether there is anything to write.
    mutating func beginLeaving(in batch: inout OutBatch) -> Bool {
        if leavingCount == 0 { refill(&batch) }
        isLeaving = leavingCount > 0
        return isLeaving
    }

    /// Counts `count` bytes of the batch as written.
    mutating func leave(_ count: Int, of batch: inout OutBatch) {
        left += count
        leavingCount -= count
        takenNotifications = nil
        if leavingCount > 0 { return }
        // The log uses the memory again to which nobody refers.
        batch.clear()
        left = 0
    }

    private mutating func refill(_ batch: inout OutBatch) {
        batch.clear()
        (left, takenNotifications) = (0, nil)
        if control.count > 0 {
            // Frames about the connection are rare; notifications follow in the next turn.
            swap(&control, &batch.copied)
            leavingCount = batch.copied.count
        } else if own.count > head {
            takeOwn(&batch)
            leavingCount = batch.copied.count
        } else if let run = runs.takeFirst(from: Self.fewestFromLog) {
            leavingCount = run.bytes.count
            take(run.nextSequence - run.sequence)
            batch.take(run)
        } else {
            leavingCount = runs.bytes
            let taken = runs.take(Self.mostAtOnce)
            leavingCount -= runs.bytes
            if !taken.isEmpty { take(taken.reduce(0) { $0 + $1.nextSequence - $1.sequence }) }
            batch.take(taken)
        }
    }

    /// Counts notifications that the batch takes out of the log.
    private mutating func take(_ notifications: UInt64) {
        takenNotifications = notifications
        waitingNotifications -= notifications
    }

    /// The length from which a run is written from the log on its own. Shorter ones are copied, so
    /// that one write takes many of them.
    private static var fewestFromLog: Int { 16 * 1024 }

    /// About the number of bytes that are given to the writer at once: more than a socket takes,
    /// and few enough to be still in the processor's cache when they are written. Frames that the
    /// writer has can't be dropped.
    private static var mostAtOnce: Int { 256 * 1024 }

    /// Moves the first frames of `own` to the batch.
    private mutating func takeOwn(_ batch: inout OutBatch) {
        own.withBytes { bytes in
            var end = head
            repeat {
                if bytes.isNotification(at: end) { waitingNotifications -= 1 }
                end += bytes.frameLength(at: end)
            } while end < bytes.count && end - head < Self.mostAtOnce
            batch.copied.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[head..<end]))
            head = end
        }
        moveToFront()
    }

    /// Gives back the memory of a burst. Only while nothing waits.
    mutating func trim() {
        own.removeAll()
        control.removeAll()
        runs = LogRuns()
        (head, left) = (0, 0)
    }

    /// Returns the number of notifications that have not been written to the end.
    func notificationsThatWait(with batch: borrowing OutBatch) -> UInt64 {
        // The batch must not be read if the writer may be about to copy the runs that it took.
        waitingNotifications + (takenNotifications ?? batch.notifications(behind: left))
    }
}
