// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Synchronization

/// A limit on how far one reader may be ahead of the observer, in lines and in bytes.
///
/// The credit bounds the memory, whatever the size of the files; a mailbox takes everything that is
/// posted to it.
final class Credit: Sendable {
    private let lineLimit: Int
    private let byteLimit: Int
    // Only the reader writes the taken numbers, and only the observer the given ones.
    private let takenLines = Atomic<Int>(0)
    private let takenBytes = Atomic<Int>(0)
    private let givenLines = Atomic<Int>(0)
    private let givenBytes = Atomic<Int>(0)
    /// Whether the reader waits, or is about to. If so, `give(bytes:)` wakes it.
    private let isWaiting = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)

    init(lines: Int, bytes: Int) {
        lineLimit = lines
        byteLimit = bytes
    }

    /// The number of posted lines.
    var posted: Int { takenLines.load(ordering: .relaxed) }
    /// The number of lines that the observer has received.
    var delivered: Int { givenLines.load(ordering: .relaxed) }

    /// Takes the credit for a line, on the reader's thread. If the reader is too far ahead, waits
    /// until the observer has caught up.
    func take(bytes: Int) {
        if isExhausted(lineLimit, byteLimit) { waitForHalf() }
        takenLines.store(takenLines.load(ordering: .relaxed) + 1, ordering: .relaxed)
        takenBytes.store(takenBytes.load(ordering: .relaxed) + bytes, ordering: .relaxed)
    }

    /// Gives back a line's credit, on the observer's thread.
    func give(bytes: Int) {
        givenBytes.store(givenBytes.load(ordering: .relaxed) + bytes, ordering: .relaxed)
        givenLines.store(
            givenLines.load(ordering: .relaxed) + 1, ordering: .sequentiallyConsistent)
        // Both sides are sequentially consistent: this thread sees that the reader waits, or the
        // reader sees the credit given.
        guard isWaiting.load(ordering: .sequentiallyConsistent), !isHalfExhausted else { return }
        if isWaiting.exchange(false, ordering: .sequentiallyConsistent) { wake.signal() }
    }

    /// Waits until half of the credit is free, so that the two threads do not take turns line by
    /// line.
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
