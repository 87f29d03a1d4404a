// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// The receiving state of the connection's thread. Guard: the transport's lock, which the thread
/// takes once for all messages read at once.
struct ReceiveState: ~Copyable {
    var senders = Senders()
    /// The messages that were read and have yet to be delivered; `overlaps` says whether some of
    /// them may come twice.
    var messages: [OpaquePointer] = []
    var overlaps = false
    /// The identities of other programs' messages that came lately, while subscriptions overlapped.
    /// Messages of Switchyard have numbers instead.
    private var seen = RecentDictionary<String, Void>(capacity: 4096)
    private var topics = RecentDictionary<String, ReceivedTopic>(capacity: 4096)
    /// The subject of the last message, because the messages of a burst have the same one.
    private var lastSubject: [CChar] = [0]
    private var lastTopic: ReceivedTopic?

    /// Returns whether a message came before, and notes that it came now.
    mutating func hasSeen(_ identity: String) -> Bool {
        if seen.find(identity) != nil { return true }
        seen.set(identity, ())
        return false
    }

    /// Forgets the messages that came, once none comes twice any more.
    mutating func forgetSeen() { seen.removeAll() }

    /// Returns the name and object of a subject; nil when the subject is not a notification's. The
    /// receiving state keeps the result alive until the next call.
    mutating func topic(
        _ subject: UnsafePointer<CChar>, _ subjects: SubjectMap
    ) -> Unmanaged<ReceivedTopic>? {
        if strcmp(subject, lastSubject) != 0 { look(for: String(cString: subject), subjects) }
        return lastTopic.map { .passUnretained($0) }
    }

    private mutating func look(for subject: String, _ subjects: SubjectMap) {
        lastSubject = Array(subject.utf8CString)
        lastTopic = topics.find(subject)
        guard lastTopic == nil, let (name, object) = subjects.parse(subject) else { return }
        let topic = ReceivedTopic(name: name, object: object)
        topics.set(subject, topic)
        lastTopic = topic
    }
}
#endif
