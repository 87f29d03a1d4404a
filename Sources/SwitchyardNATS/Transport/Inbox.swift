// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// What the connection's thread knows of what came. Guard: the transport's lock, which it takes once for
/// all that was read at once.
struct Inbox: ~Copyable {
    var senders = Senders()
    /// What was read, and is to be delivered; and whether it may come twice.
    var messages: [OpaquePointer] = []
    var overlaps = false
    /// What came while subscriptions overlapped.
    var seen: Set<String> = []
    private var topics = RecentDictionary<String, ReceivedTopic>(capacity: 4096)
    /// The subject of the last one: a burst has one.
    private var lastSubject: [CChar] = [0]
    private var lastTopic: ReceivedTopic?

    /// The name and object of a subject, which this keeps until another is asked for; nil when it is no
    /// notification's.
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
