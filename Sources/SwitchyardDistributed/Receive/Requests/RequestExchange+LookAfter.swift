// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Processes that end without a word.
extension RequestExchange {
    /// Looks after the processes that are waited for, as long as there are any.
    func lookAfterProcesses(_ sender: CenterSender) {
        if sender.noticesEnds { return }
        let isFirst = state.withLock { state in
            defer { state.isLookedAfter = true }
            return !state.isLookedAfter
        }
        if isFirst { sender.lookAfter { [weak self] number in self?.takeProcesses(until: number) } }
    }

    /// Returns the processes that have not answered requests up to a number, and the number of the
    /// last request; nil if none is under way.
    private func takeProcesses(until number: UInt64) -> (processes: Set<String>, latest: UInt64)? {
        state.withLock { state in
            if state.outgoing.isEmpty {
                state.isLookedAfter = false
                return nil
            }
            let late = state.outgoing.filter { $0.key <= number }.values.flatMap(\.processes)
            return (Set(late.map(\.id)), state.lastNumber)
        }
    }
}
