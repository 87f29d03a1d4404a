// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// A process from whom notifications came.
final class Sender {
    /// Where they are delivered. Of the connection's thread alone.
    var intake: SenderIntake
    /// The place of the next notification of each topic.
    fileprivate var next = RecentDictionary<UInt32, UInt64>(capacity: 16 * 1024)
    /// The topic of the last one: a burst has one.
    fileprivate var lastTopic: UInt32 = 0
    fileprivate var nextOfLastTopic: UInt64?
    fileprivate(set) var received: UInt64 = 0
    fileprivate(set) var missed: UInt64 = 0

    var peer: DistributedPeer { intake.sender }

    fileprivate init(_ intake: SenderIntake) { self.intake = intake }

    /// Takes note of a notification.
    ///
    /// - Returns: How many of its topic are missing before it; nil: it came before.
    func take(_ number: EventNumber) -> UInt64? {
        if number.topic != lastTopic { change(to: number.topic) }
        let next = nextOfLastTopic ?? number.place
        if number.place < next { return nil }
        nextOfLastTopic = number.place + 1
        received += 1
        missed &+= number.place - next
        return number.place - next
    }

    private func change(to topic: UInt32) {
        if let nextOfLastTopic { next.set(lastTopic, nextOfLastTopic) }
        lastTopic = topic
        nextOfLastTopic = next.find(topic)
    }

    fileprivate func forgetPlaces() {
        next.removeAll()
        nextOfLastTopic = nil
    }
}

/// Those from whom notifications came lately, and which of each comes next.
///
/// Of the connection's thread; the counts are read under the transport's lock.
struct Senders {
    private var known = RecentDictionary<UInt64, Sender>(capacity: 1024)
    /// Who sent last: a burst has one.
    private var last: (process: UInt64, sender: Sender)?

    /// The sender with an id.
    ///
    /// - Parameter introduce: makes it known.
    mutating func find(_ process: UInt64, _ introduce: () -> SenderIntake) -> Unmanaged<Sender> {
        if let last, last.process == process { return .passUnretained(last.sender) }
        let sender = known.find(process) ?? Sender(introduce())
        known.set(process, sender)
        last = (process, sender)
        return .passUnretained(sender)
    }

    /// What was observed is not any more, or not all of it: what does not come from now on is not
    /// missing.
    func forgetPlaces() {
        for sender in known.values { sender.forgetPlaces() }
    }

    /// What came from a process, and what did not.
    func counts(of process: UInt64) -> (received: UInt64, missed: UInt64) {
        known.peek(process).map { ($0.received, $0.missed) } ?? (0, 0)
    }
}
#endif
