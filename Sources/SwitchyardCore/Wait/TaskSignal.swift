// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A signal that one task waits for and others raise. A raise before the wait is kept.
final class TaskSignal: Sendable {
    private enum State {
        case lowered
        case raised
        case waiting(UnsafeContinuation<Void, Never>)
    }

    private let state = Guarded(State.lowered)

    func raise() {
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            if case .waiting(let continuation) = state {
                state = .lowered
                return continuation
            }
            state = .raised
            return nil
        }
        waiting?.resume()
    }

    func wait() async {
        await withUnsafeContinuation { continuation in
            let isRaised = state.withLock { state in
                if case .raised = state {
                    state = .lowered
                    return true
                }
                state = .waiting(continuation)
                return false
            }
            if isRaised { continuation.resume() }
        }
    }
}
