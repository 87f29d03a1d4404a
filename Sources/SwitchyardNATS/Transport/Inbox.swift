// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
internal import SwitchyardDistributed

/// What the connection's thread knows of what came. Guard: the transport's lock, which it takes once for
/// all that was read at once.
struct Inbox {
    var senders = Senders()
    /// What came while subscriptions overlapped.
    var seen: Set<String> = []
    private var topics: [String: ReceivedTopic] = [:]
    /// The subject of the last one: a burst has one.
    private var lastSubject: [CChar] = [0]
    private var lastTopic: ReceivedTopic?

    private static let mostTopics = 4096

    /// The name and object of a subject.
    mutating func topic(
        _ subject: UnsafePointer<CChar>, _ subjects: SubjectMap
    ) -> ReceivedTopic? {
        if strcmp(subject, lastSubject) == 0 { return lastTopic }
        let text = String(cString: subject)
        let topic =
            topics[text]
            ?? subjects.parse(text).map { ReceivedTopic(name: $0.name, object: $0.object) }
        if topics.count >= Self.mostTopics { topics = [:] }
        topics[text] = topic
        lastSubject = Array(text.utf8CString)
        lastTopic = topic
        return topic
    }
}
#endif
