// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What the writer writes to a connection.
///
/// While its queue is leaving, this is the writer's alone, which uses it without a lock; otherwise it is
/// guarded by the mesh's state. Apart from the queue, so that who posts touches none of it.
struct OutBatch: ~Copyable {
    var bytes = ByteWriter()
    /// How much at the beginning is the rest of a frame.
    private(set) var rest = 0
    private var isRestOfNotification = false
    /// What has still to be copied.
    private var taken: [LogRun] = []

    /// Whether ``copyTaken()`` is to be called before it is written.
    var hasTaken: Bool { !taken.isEmpty }

    /// Forgets what was written.
    mutating func clear() {
        rest = 0
        bytes.removeAll(keepingCapacity: true)
    }

    /// Begins with the rest of what was written in part.
    mutating func begin(with rest: UnsafeRawBufferPointer, ofNotification: Bool) {
        clear()
        bytes.append(bytes: rest)
        self.rest = rest.count
        isRestOfNotification = ofNotification
    }

    /// Is to be made of these.
    mutating func take(_ runs: [LogRun]) { taken = runs }

    /// Puts together what is to be written.
    mutating func copyTaken() {
        for run in taken { run.copy(to: &bytes) }
        taken.removeAll(keepingCapacity: true)
    }

    /// Gives memory back that a burst has taken.
    mutating func trim() {
        bytes.removeAll()
        taken = []
        rest = 0
    }

    /// How many notifications do not end in the first `count` bytes.
    func notifications(behind count: Int) -> UInt64 {
        var number: UInt64 = count < rest && isRestOfNotification ? 1 : 0
        bytes.withBytes { bytes in
            var next = rest
            while next < bytes.count {
                let end = next + OutQueue.frameLength(bytes, at: next)
                if end > count, OutQueue.isNotification(bytes, at: next) { number += 1 }
                next = end
            }
        }
        return number
    }
}
