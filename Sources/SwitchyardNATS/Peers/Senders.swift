// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// Those from whom notifications came, and which of each comes next.
///
/// Of the connection's thread.
struct Senders {
    private final class Sender {
        let peer: DistributedPeer
        /// The place of the next notification of each topic.
        var next: [UInt32: UInt64] = [:]
        var received: UInt64 = 0
        var missed: UInt64 = 0

        init(_ peer: DistributedPeer) { self.peer = peer }
    }

    private var known: [UInt64: Sender] = [:]
    /// Who sent last: a burst has one.
    private var last: (process: UInt64, sender: Sender)?

    /// Takes note of a notification.
    ///
    /// - Parameter introduce: makes the sender known.
    /// - Returns: Who sent it, and how many of its topic are missing before it; nil: it came before.
    mutating func take(
        _ number: EventNumber, _ introduce: () -> DistributedPeer
    ) -> (peer: DistributedPeer, missed: UInt64)? {
        let sender = find(number.process, introduce)
        let next = sender.next[number.topic] ?? number.place
        if number.place < next { return nil }
        sender.next[number.topic] = number.place + 1
        sender.received += 1
        let missed = number.place - next
        sender.missed += missed
        return (sender.peer, missed)
    }

    private mutating func find(
        _ process: UInt64, _ introduce: () -> DistributedPeer
    ) -> Sender {
        if let last, last.process == process { return last.sender }
        let sender = known[process] ?? Sender(introduce())
        known[process] = sender
        last = (process, sender)
        return sender
    }

    /// What was observed is not any more, or not all of it: what does not come from now on is not
    /// missing.
    mutating func forgetPlaces() {
        for sender in known.values { sender.next = [:] }
    }

    /// What came from a process, and what did not.
    func counts(of process: UInt64) -> (received: UInt64, missed: UInt64) {
        known[process].map { ($0.received, $0.missed) } ?? (0, 0)
    }
}
#endif
