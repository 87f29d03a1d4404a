// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// One mailbox that the calling thread is delivering from.
///
/// A thread's frames are kept in memory of their own and not on the thread's stack: if a handler
/// ends its thread, they outlive the handler, and are ended with the thread.
struct DrainFrame {
    private struct Stack {
        var frames: UnsafeMutablePointer<DrainFrame>
        var capacity: Int
        var count = 0
    }

    /// For an inline delivery, its observation keeps the mailbox.
    private let mailbox: Unmanaged<SharedMailbox>
    /// The mailbox, if it is drained; nil for an inline delivery.
    private let drained: SharedMailbox?

    /// Calls `body` as a delivery from `mailbox`: a drain, or an inline delivery.
    static func inside<Result>(
        _ mailbox: SharedMailbox, isDrain: Bool = false, _ body: () -> Result
    ) -> Result {
        let stack = currentStack
        if stack.pointee.count == stack.pointee.capacity { grow(stack) }
        let frame = DrainFrame(
            mailbox: .passUnretained(mailbox), drained: isDrain ? mailbox : nil)
        (stack.pointee.frames + stack.pointee.count).initialize(to: frame)
        stack.pointee.count += 1
        let result = body()
        stack.pointee.count -= 1
        (stack.pointee.frames + stack.pointee.count).deinitialize(count: 1)
        return result
    }

    /// The mailboxes that the calling thread is delivering from, innermost first.
    static var mailboxes: [SharedMailbox] {
        guard let stack = knownStack else { return [] }
        return (0..<stack.pointee.count).reversed().map { index in
            stack.pointee.frames[index].mailbox.takeUnretainedValue()
        }
    }

    static func isInside(_ mailbox: SharedMailbox) -> Bool {
        mailboxes.contains { $0 === mailbox }
    }

    // MARK: - The thread's stack

    private static var knownStack: UnsafeMutablePointer<Stack>? {
        switchyard_get_thread_drain()?.assumingMemoryBound(to: Stack.self)
    }

    @inline(__always)
    private static var currentStack: UnsafeMutablePointer<Stack> { knownStack ?? makeStack() }

    @inline(never)
    private static func makeStack() -> UnsafeMutablePointer<Stack> {
        let stack = UnsafeMutablePointer<Stack>.allocate(capacity: 1)
        stack.initialize(to: Stack(frames: .allocate(capacity: 8), capacity: 8))
        switchyard_set_thread_drain(stack)
        ThreadEnd.notify(StackEnd(stack))
        return stack
    }

    @inline(never)
    private static func grow(_ stack: UnsafeMutablePointer<Stack>) {
        let (old, count) = (stack.pointee.frames, stack.pointee.count)
        let new = UnsafeMutablePointer<DrainFrame>.allocate(capacity: count * 2)
        new.moveInitialize(from: old, count: count)
        old.deallocate()
        stack.pointee.frames = new
        stack.pointee.capacity = count * 2
    }

    // MARK: - The end of the thread

    /// Frees the stack when its thread ends, and ends the deliveries that the thread ended inside
    /// of.
    private final class StackEnd: EndsWithThread {
        private let stack: UnsafeMutablePointer<Stack>

        init(_ stack: UnsafeMutablePointer<Stack>) { self.stack = stack }

        func threadEnds() {
            // A value that was told of the end before may have delivered, and made a stack that is
            // current.
            if switchyard_get_thread_drain() == UnsafeMutableRawPointer(stack) {
                switchyard_set_thread_drain(nil)
            }
            let (frames, count) = (stack.pointee.frames, stack.pointee.count)
            // Innermost first.
            let left = (0..<count).reversed().map { frames[$0] }
            frames.deinitialize(count: count)
            frames.deallocate()
            stack.deallocate()
            if !left.isEmpty { ThreadEnd.notify(Left(left)) }
        }
    }

    /// Deliveries that a thread has ended inside of. They are ended after the mailboxes of the
    /// thread, which need not be woken; the thread's record still keeps the observations that were
    /// being called.
    private final class Left: EndsWithThread {
        private let frames: [DrainFrame]

        init(_ frames: [DrainFrame]) { self.frames = frames }

        func threadEnds() {
            for frame in frames {
                frame.mailbox._withUnsafeGuaranteedRef {
                    $0.threadEnded(inDrain: frame.drained != nil)
                }
            }
        }
    }
}
