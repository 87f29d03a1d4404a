// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Synchronization

/// Runs async work, and blocks the calling thread until it is through: commands are not async, so that
/// the main thread stays theirs.
///
/// - Returns: What the work returns; nil when the interrupt came first. The work then goes on.
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
    let result = Mutex<Result?>(nil)
}

/// What ends the waiting of one thread before the time.
final class Interrupt: Sendable {
    /// Who waits looks around each time.
    fileprivate let wake = DispatchSemaphore(value: 0)
    private let raised = Atomic<Bool>(false)

    /// Whether it has come.
    var isRaised: Bool { raised.load(ordering: .relaxed) }

    /// From any thread.
    func raise() {
        raised.store(true, ordering: .relaxed)
        wake.signal()
    }
}
