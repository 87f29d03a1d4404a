// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import SwitchyardCore
internal import Synchronization

/// Runs async work, and blocks the calling thread until it is done. Commands are not async, so that
/// they keep the main thread to themselves.
///
/// - Returns: The work's result; nil when the interrupt came first. The work then goes on.
func blocking<Result: Sendable>(
    unless interrupt: Interrupt = Interrupt(), _ work: @escaping @Sendable () async -> Result
) -> Result? {
    let box = ResultBox<Result>()
    Task.detached {
        let result = await work()
        box.result.withLock { $0 = result }
        interrupt.wake.signal()
    }
    while true {
        if let result = box.result.withLock({ $0 }) { return result }
        if interrupt.isRaised { return nil }
        interrupt.wake.wait()
    }
}

private final class ResultBox<Result: Sendable>: Sendable {
    let result = Guarded<Result?>(nil)
}

/// A signal that ends one thread's waiting early.
final class Interrupt: Sendable {
    /// Wakes the waiting thread, which then checks what happened.
    fileprivate let wake = DispatchSemaphore(value: 0)
    private let raised = Atomic<Bool>(false)

    /// Whether the interrupt has been raised.
    var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// Raises the interrupt. Callable from any thread.
    func raise() {
        raised.store(true, ordering: .relaxed)
        wake.signal()
    }
}
