// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import SwitchyardDistributed

/// What the connection's thread knows of what came. Guard: the transport's lock, which it takes once for
/// all that was read at once.
struct Inbox {
    var senders = Senders()
    /// What came while subscriptions overlapped.
    var seen: Set<String> = []
    private var topics: [String: (name: String, object: String?)] = [:]
    /// The subject of the last one: a burst has one.
    private var lastSubject = ""
    private var lastTopic: (name: String, object: String?)?

    private static let mostTopics = 4096

    /// The name and object of a subject.
    mutating func topic(
        _ subject: UnsafePointer<CChar>, _ subjects: SubjectMap
    ) -> (name: String, object: String?)? {
        let subject = String(cString: subject)
        if subject == lastSubject { return lastTopic }
        let topic = topics[subject] ?? subjects.parse(subject)
        if topics.count >= Self.mostTopics { topics = [:] }
        topics[subject] = topic
        lastSubject = subject
        lastTopic = topic
        return topic
    }
}
#endif
