// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The bytes that the writer writes to a connection.
///
/// The batch belongs to the writer alone while the writer empties the connection's queue, and is
/// used without a lock then. Guard otherwise: the mesh's state. It is kept apart from the queue, so
/// that posting threads touch none of it.
struct OutBatch: ~Copyable {
    /// The bytes to write, unless they stand in the log.
    var copied = ByteWriter()
    /// The frames in the log that are written from there; nil if they had to be copied.
    private var logged: LogRun?
    /// The number of bytes at the beginning that are the rest of a frame.
    private(set) var rest = 0
    private var isRestOfNotification = false
    /// The runs that have still to be copied.
    private var taken: [LogRun] = []

    /// Whether ``copyTaken()`` is to be called before the batch is written.
    var hasTaken: Bool { !taken.isEmpty }

    /// Calls `body` with the bytes to write.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let logged { return body(logged.bytes) }
        return copied.withBytes(body)
    }

    /// Empties the batch.
    mutating func clear() {
        rest = 0
        logged = nil
        copied.removeAll(keepingCapacity: true)
    }

    /// Begins the batch with the rest of a frame that was written in part.
    mutating func begin(with rest: UnsafeRawBufferPointer, ofNotification: Bool) {
        clear()
        copied.append(bytes: rest)
        self.rest = rest.count
        isRestOfNotification = ofNotification
    }

    /// Takes over a run that is written from the log.
    mutating func take(_ run: LogRun) { logged = run }

    /// Takes over the runs that ``copyTaken()`` copies into the batch.
    mutating func take(_ runs: [LogRun]) { taken = runs }

    /// Copies the taken runs into the batch.
    mutating func copyTaken() {
        for run in taken { run.copy(to: &copied) }
        taken.removeAll(keepingCapacity: true)
    }

    /// Gives back the memory of a burst.
    mutating func trim() {
        copied.removeAll()
        logged = nil
        taken = []
        rest = 0
    }

    /// Appends the unwritten rest of the frame that the first `count` bytes of the batch end in.
    /// Appends nothing if a frame ends there.
    ///
    /// - Returns: Whether that frame is a notification.
    func appendRestOfFrame(behind count: Int, to writer: inout ByteWriter) -> Bool {
        withBytes { bytes in
            var (start, end) = (0, rest)
            while end < count {
                start = end
                end += bytes.frameLength(at: start)
            }
            // A frame whose beginning was in an earlier batch is half written, even if nothing of
            // this batch was written.
            if end == count || count == 0 && rest == 0 { return false }
            writer.append(bytes: UnsafeRawBufferPointer(rebasing: bytes[count..<end]))
            return start == 0 && rest > 0
                ? isRestOfNotification : bytes.isNotification(at: start)
        }
    }

    /// Returns the number of notifications that do not end in the first `count` bytes.
    func notifications(behind count: Int) -> UInt64 {
        var number: UInt64 = count < rest && isRestOfNotification ? 1 : 0
        withBytes { bytes in
            var next = rest
            while next < bytes.count {
                let end = next + bytes.frameLength(at: next)
                if end > count, bytes.isNotification(at: next) { number += 1 }
                next = end
            }
        }
        return number
    }
}
