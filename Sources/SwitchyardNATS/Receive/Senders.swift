// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// A process that posted, with the next expected number of each topic.
final class Sender {
    /// The receiver of the process's notifications. For the connection's thread only.
    var intake: SenderIntake
    private var expectations = RecentDictionary<UInt32, Expectation>(capacity: 16 * 1024)
    /// The expectation of the last notification's topic, because the notifications of a burst have
    /// the same one.
    private var current: Expectation?
    fileprivate(set) var received: UInt64 = 0
    fileprivate(set) var missed: UInt64 = 0

    let peer: DistributedPeer

    fileprivate init(_ intake: SenderIntake) {
        self.intake = intake
        peer = intake.sender
    }

    /// Records a notification.
    ///
    /// - Returns: The number of missing notifications of its topic before it; nil for a duplicate.
    func take(_ number: EventNumber, _ topic: Unmanaged<ReceivedTopic>) -> UInt64? {
        if number.topic != current?.number { change(to: number, topic.takeUnretainedValue()) }
        let next = current?.next ?? number.topicSequence
        if number.topicSequence < next { return nil }
        current?.next = number.topicSequence + 1
        received += 1
        missed &+= number.topicSequence - next
        return number.topicSequence - next
    }

    private func change(to number: EventNumber, _ topic: ReceivedTopic) {
        if let current { expectations.set(current.number, current) }
        current =
            expectations.find(number.topic)
            ?? Expectation(topic: topic, number: number.topic, next: number.topicSequence)
    }

    fileprivate func forgetSequences(where isUnneeded: (ReceivedTopic) -> Bool) {
        expectations.removeAll { isUnneeded($0.topic) }
        if let topic = current?.topic, isUnneeded(topic) { current = nil }
    }
}

/// The next notification of a topic, as a process numbers them.
private struct Expectation {
    let topic: ReceivedTopic
    /// The process's number for the topic.
    let number: UInt32
    /// The next notification's number within the topic.
    var next: UInt64
}

/// The processes from which notifications came lately.
///
/// For the connection's thread only; the counts are read under the transport's lock.
struct Senders {
    private var known = RecentDictionary<UInt64, Sender>(capacity: 1024)
    /// The process of the last notification, because one process posts a whole burst.
    private var last: (process: UInt64, sender: Sender)?

    /// Returns the entry of the process with an id, and creates it if it is new.
    ///
    /// - Parameter introduce: makes the receiver for a new process.
    mutating func find(_ process: UInt64, _ introduce: () -> SenderIntake) -> Unmanaged<Sender> {
        if let last, last.process == process { return .passUnretained(last.sender) }
        let sender = known.find(process) ?? Sender(introduce())
        known.set(process, sender)
        last = (process, sender)
        return .passUnretained(sender)
    }

    /// Forgets the next expected numbers of the topics that are unneeded. Called when less is
    /// observed than before: notifications that do not come any more are not missing.
    func forgetSequences(where isUnneeded: (ReceivedTopic) -> Bool) {
        for sender in known.values { sender.forgetSequences(where: isUnneeded) }
    }

    /// The processes from which notifications came.
    var heard: [DistributedPeer] { known.values.filter { $0.received > 0 }.map(\.peer) }

    /// Returns the numbers of notifications received from a process, and missed.
    func counts(of process: UInt64) -> (received: UInt64, missed: UInt64) {
        known.peek(process).map { ($0.received, $0.missed) } ?? (0, 0)
    }
}
#endif
