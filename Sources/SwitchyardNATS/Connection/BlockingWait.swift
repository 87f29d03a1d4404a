// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// A wait that blocks a thread: the calling one, or one that was started for a task.
///
/// Waits for servers block, because libnats's calls do, and because a forked child can have a
/// center of its own, but no threads that run tasks.
final class BlockingWait: Sendable {
    private let wakeUp = ThreadSignal()
    private let cancellation = Atomic<Bool>(false)

    /// Whether the task that waits was cancelled.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    /// Ends the present call of ``pause(until:)``, or the next one.
    func wake() { wakeUp.raise() }

    /// Waits until woken.
    ///
    /// - Returns: Whether that was before `end`.
    func pause(until end: ContinuousClock.Instant) -> Bool { wakeUp.wait(until: end) }

    /// Runs `body`, which blocks, on a thread of its own, while the task waits.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (BlockingWait) -> Result
    ) async -> Result {
        let wait = BlockingWait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingThread.run("sw-nats-wait") { continuation.resume(returning: body(wait)) }
            }
        } onCancel: {
            wait.cancellation.store(true, ordering: .relaxed)
            wait.wake()
        }
    }
}
#endif
