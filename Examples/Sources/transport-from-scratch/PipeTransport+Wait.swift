// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

// Waits for the other process, and for the queue that writes.
extension PipeTransport {
    func waitUntilReady(within limit: Duration) async -> [DistributedPeer] {
        await isAnswered(within: limit) ? [] : missing
    }

    func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer] {
        await wait(within: limit) { .mark($0) } ? [] : missing
    }

    func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration? {
        let start = ContinuousClock.now
        return await isAnswered(within: limit) && isConnected ? ContinuousClock.now - start : nil
    }

    /// Nil, as if no answer had come: this protocol has no line for the question.
    func status(
        of peer: DistributedPeer, within limit: Duration
    ) async -> [DistributedPeerStatus]? { nil }

    /// The other process, also if it has not said yet who it is.
    private var missing: [DistributedPeer] {
        let unknown = DistributedPeer(id: "", processIdentifier: 0, processName: "the other end")
        return [state.withLock(\.peer) ?? unknown]
    }

    private func isAnswered(within limit: Duration) async -> Bool {
        await wait(within: limit) { .line(.question(number: $0)) }
    }

    /// Puts an item into the outbox, and waits until ``endWait(_:isDone:)`` is called with its
    /// number.
    ///
    /// - Returns: False if the time was up before.
    private func wait(
        within limit: Duration, _ item: (UInt64) -> Outbox.Item
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let number: UInt64? = state.withLock { state in
                if state.hasEnded { return nil }
                state.lastWait += 1
                state.waits[state.lastWait] = continuation
                state.outbox.add(item(state.lastWait))
                return state.lastWait
            }
            guard let number else { return continuation.resume(returning: true) }
            wake()
            Task { [weak self] in
                try? await Task.sleep(for: limit)
                self?.endWait(number, isDone: false)
            }
        }
    }

    /// Ends a wait, unless it is over: its time may have been up before the answer came.
    func endWait(_ number: UInt64, isDone: Bool) {
        state.withLock { $0.waits.removeValue(forKey: number) }?.resume(returning: isDone)
    }
}
