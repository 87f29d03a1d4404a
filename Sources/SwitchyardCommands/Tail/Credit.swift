// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Synchronization

/// How far one reader may be ahead of the observer: so many lines, and so many bytes.
///
/// This is what keeps the memory bounded, whatever the size of the files: a mailbox takes all that
/// is posted to it.
final class Credit: Sendable {
    private let lineLimit: Int
    private let byteLimit: Int
    // The reader alone writes what was taken, the observer alone what was given back.
    private let takenLines = Atomic<Int>(0)
    private let takenBytes = Atomic<Int>(0)
    private let givenLines = Atomic<Int>(0)
    private let givenBytes = Atomic<Int>(0)
    /// Whether the reader waits, or is about to: who then gives something back wakes it.
    private let isWaiting = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)

    init(lines: Int, bytes: Int) {
        lineLimit = lines
        byteLimit = bytes
    }

    /// Lines that were posted.
    var posted: Int { takenLines.load(ordering: .relaxed) }
    /// Lines that the observer has had.
    var delivered: Int { givenLines.load(ordering: .relaxed) }

    /// Takes what a line needs, on the reader's thread; waits until the observer has caught up if it
    /// is too far behind.
    func take(bytes: Int) {
        if isExhausted(lineLimit, byteLimit) { waitForHalf() }
        takenLines.store(takenLines.load(ordering: .relaxed) + 1, ordering: .relaxed)
        takenBytes.store(takenBytes.load(ordering: .relaxed) + bytes, ordering: .relaxed)
    }

    /// Gives back what a line needed, on the observer's thread.
    func give(bytes: Int) {
        givenBytes.store(givenBytes.load(ordering: .relaxed) + bytes, ordering: .relaxed)
        givenLines.store(
            givenLines.load(ordering: .relaxed) + 1, ordering: .sequentiallyConsistent)
        // Either this sees that the reader waits, or the reader sees what was given.
        guard isWaiting.load(ordering: .sequentiallyConsistent), !isHalfExhausted else { return }
        if isWaiting.exchange(false, ordering: .sequentiallyConsistent) { wake.signal() }
    }

    /// Until half is free again, so that the two threads do not take turns line by line.
    private func waitForHalf() {
        while isHalfExhausted {
            isWaiting.store(true, ordering: .sequentiallyConsistent)
            if isHalfExhausted { wake.wait() }
        }
        isWaiting.store(false, ordering: .relaxed)
    }

    private var isHalfExhausted: Bool { isExhausted(lineLimit / 2, byteLimit / 2) }

    private func isExhausted(_ lines: Int, _ bytes: Int) -> Bool {
        let ahead =
            takenLines.load(ordering: .relaxed) - givenLines.load(ordering: .sequentiallyConsistent)
        guard ahead > 0 else { return false }
        let aheadBytes =
            takenBytes.load(ordering: .relaxed) - givenBytes.load(ordering: .relaxed)
        return ahead >= lines || aheadBytes >= bytes
    }
}
