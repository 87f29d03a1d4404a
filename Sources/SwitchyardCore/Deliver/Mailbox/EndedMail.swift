// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The deliveries that will not be made because their mailbox has ended. They are reported, and
/// their posts are told, one after the other.
///
/// The hook is the user's code, and so is the end of a payload. If it ends the thread, this goes on
/// at the thread's end.
final class EndedMail: EndsWithThread {
    /// The mailbox's name.
    private let label: String
    private var queues: [MailQueue]
    /// The observations that the mailbox and the entries have kept for entries behind them.
    private var kept: [Unmanaged<Observation>]
    /// Objects that were to be let go on the mailbox's target.
    private var released: ArraySlice<ReleasedObject>
    /// The deliveries that are still to be reported; nil before they have been counted.
    private var lost: UndeliverableCount?
    private var isReported: () -> Void = {}

    init(
        of label: String, _ queues: [MailQueue], kept: Unmanaged<Observation>? = nil,
        released: [ReleasedObject] = []
    ) {
        self.label = label
        self.queues = queues
        self.kept = kept.map { [$0] } ?? []
        self.released = released[...]
    }

    /// Tells everybody.
    ///
    /// - Parameter isReported: called when the deliveries have been reported.
    /// - Returns: The number of these deliveries.
    func tell(_ isReported: @escaping () -> Void) -> Int {
        self.isReported = isReported
        tellRest()
        return lost?.total ?? 0
    }

    func threadEnds() { tellRest() }

    private func tellRest() {
        ThreadEnd.notify(self)
        defer { ThreadEnd.forget(self) }
        while let released = released.popFirst() { released.object.release() }
        report()
        while let entry = next() {
            if entry.bringsReference { kept.append(entry.observation) }
            entry.mailboxEnded(label)
            entry.discard()
        }
        while let observation = kept.popLast() { observation.release() }
    }

    /// Reports the mail that waited when the target ended. The report comes before the posts that
    /// wait are told, because these may let the center go, and its hook with it.
    private func report() {
        if lost == nil { lost = count() }
        while let (owner, count) = lost?.takeFirst() {
            owner.report(.undeliverable(mailbox: label, count: count))
        }
        isReported()
    }

    private func count() -> UndeliverableCount {
        var lost = UndeliverableCount()
        for queue in queues {
            queue.visit { entry in
                guard !entry.isDiscarded else { return }
                let count = 1 + entry.mailboxIsEnding()
                entry.observation._withUnsafeGuaranteedRef { observation in
                    if count > 0, !observation.isCancelled || entry.isClaimed {
                        lost.add(observation, count)
                    }
                }
            }
        }
        return lost
    }

    private func next() -> MailEntry? {
        for index in queues.indices {
            if let entry = queues[index].popFirst() { return entry }
        }
        return nil
    }
}

/// The number of deliveries of each center that a mailbox had when its target ended.
private struct UndeliverableCount {
    private var counts: [UInt: (owner: ObservationOwner, count: Int)] = [:]
    private(set) var total = 0

    mutating func add(_ observation: Observation, _ count: Int) {
        let owner = observation.owner
        counts[owner.registryIdentity, default: (owner, 0)].count += count
        total += count
    }

    /// Takes out the number of one of the centers.
    mutating func takeFirst() -> (owner: ObservationOwner, count: Int)? { counts.popFirst()?.value }
}
