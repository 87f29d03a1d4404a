// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import SwitchyardDistributed

// Writing. A serial queue writes everything, and may block while the other process does not read.
extension PipeTransport {
    /// Has the queue write soon. The center may call this while it holds a lock, so the intake is
    /// not called here.
    func wake() {
        let isFirst = state.withLock { state in
            defer { state.willWrite = true }
            return !state.willWrite
        }
        if isFirst { writer.async { [self] in write() } }
    }

    func write() {
        let (intake, peer, (items, dropped), mustSayHello) = state.withLock { state in
            defer { (state.willWrite, state.hasSaidHello) = (false, true) }
            return (state.intake, state.peer, state.outbox.take(), !state.hasSaidHello)
        }
        Self.report(dropped, to: peer, intake)
        // The changes are taken after the items, and written before them: the answer to a question
        // among the items then says that the other process knows all that was observed before.
        // Without the lock, because the call may run the problem hook, which is the user's.
        let changes = intake?.takeInterestChanges() ?? []
        var written = 0
        do {
            if mustSayHello {
                try write(hello(changes.filter(\.isObserved).map(\.interest)))
            } else {
                for (interest, isObserved) in changes {
                    try write(.interest(WireInterest(interest), isObserved: isObserved))
                }
            }
            for item in items {
                try write(item)
                written += 1
            }
        } catch {
            giveUp(items[written...])
        }
    }

    private func hello(_ interests: [DistributedInterest]) -> WireLine {
        .hello(
            id: ownPeer.id, process: ownPeer.processIdentifier, name: ownPeer.processName,
            interests: interests.map { WireInterest($0) })
    }

    private func write(_ item: Outbox.Item) throws {
        switch item {
        case .notification(let notification, let number):
            try write(.notification(WireNotification(notification), number: number))
        case .line(let line): try write(line)
        case .mark(let number): endWait(number, isDone: true)
        }
    }

    private func write(_ line: WireLine) throws { try output.write(contentsOf: line.json) }

    /// Ends the sending: the other process does not read any more. The reader finds out that it has
    /// gone.
    private func giveUp(_ items: ArraySlice<Outbox.Item>) {
        let (intake, peer, lost) = state.withLock { state in
            state.hasEnded = true
            return (
                state.intake, state.peer, state.outbox.giveUp() + Outbox.notifications(in: items)
            )
        }
        Self.report(lost, to: peer, intake)
    }
}
