// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// Calls an async closure with messages, one at a time, in the order in which they were delivered.
final class AsyncHandler<Message: Sendable>: Handler<Message> {
    private let body: @Sendable (Message) async -> Void
    private let inbox = AsyncInbox<Message>()
    // Set once, before the registration; it outlives its handler.
    private unowned var observation: Observation?

    init(_ body: @escaping @Sendable (Message) async -> Void) { self.body = body }

    override func belongs(to observation: Observation) { self.observation = observation }

    override func deliver(_ payload: Message) throws -> DeliveryOutcome {
        if inbox.append(payload), let observation {
            run(inbox, observation)
        }
        return .queued
    }

    /// Takes messages from `inbox` until it is empty. The task holds neither the handler nor what
    /// that captures: it claims the observation anew for each message.
    private func run(_ inbox: AsyncInbox<Message>, _ observation: Observation) {
        // Not retained, and touched only under a claim, which keeps the handler.
        nonisolated(unsafe) let handler = Unmanaged.passUnretained(self)
        Task.detached {
            while let message = inbox.next() {
                guard observation.beginOpenClaim() else { continue }
                await handler._withUnsafeGuaranteedRef(\.body)(message)
                observation.endOpenClaim()
            }
        }
    }
}

/// Messages that wait for an async handler.
private final class AsyncInbox<Message: Sendable>: Sendable {
    private struct State {
        var waiting = FIFO<Message>()
        var isRunning = false
    }

    private let state = Guarded(State())

    /// - Returns: Whether a task has to be started to take it.
    func append(_ message: Message) -> Bool {
        state.withLock { state in
            state.waiting.append(message)
            defer { state.isRunning = true }
            return !state.isRunning
        }
    }

    /// The next message; nil ends the task.
    func next() -> Message? {
        state.withLock { state in
            let message = state.waiting.popFirst()
            state.isRunning = message != nil
            return message
        }
    }
}
