// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Processes that end without a word: with a server in between, only a question to one tells that it has gone.
extension RequestExchange {
    private static var pause: Duration { .seconds(1) }

    /// Asks the processes that are waited for longer than a moment for a sign of life, as long as there are any.
    func lookAfterProcesses(_ sender: CenterSender) {
        if sender.noticesEnds { return }
        let isFirst = state.withLock { state in
            defer { state.isLookedAfter = true }
            return !state.isLookedAfter
        }
        if !isFirst { return }
        Task.detached { [weak self] in
            var last: UInt64 = 0
            while let (processes, latest) = self?.takeProcesses(askedUntil: last) {
                last = latest
                for peer in processes.values { await sender.look(after: peer, within: Self.pause) }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Returns the processes that have not answered requests up to a number, and the number of the last request; nil if
    /// none is under way.
    private func takeProcesses(
        askedUntil number: UInt64
    ) -> (processes: [String: DistributedPeer], latest: UInt64)? {
        state.withLock { state in
            if state.outgoing.isEmpty {
                state.isLookedAfter = false
                return nil
            }
            var processes: [String: DistributedPeer] = [:]
            for (key, answers) in state.outgoing where key <= number {
                for peer in answers.processes { processes[peer.id] = peer }
            }
            return (processes, state.lastNumber)
        }
    }
}
