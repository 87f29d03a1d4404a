// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Dispatch
internal import Synchronization

/// Runs async work, and blocks the calling thread until it is through: commands are not async, so that
/// the main thread stays theirs.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result {
    let done = DispatchSemaphore(value: 0)
    let box = ResultBox<Result>()
    Task.detached {
        let result = await work()
        box.result.withLock { $0 = result }
        done.signal()
    }
    while true {
        done.wait()
        if let result = box.result.withLock({ $0 }) { return result }
    }
}

private final class ResultBox<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
}
