// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The key of a bucket: a topic and a subject, and the hash of both.
struct Key: Sendable {
    let hash: UInt
    let topic: Topic
    let subject: Subject

    init(_ topic: Topic, _ subject: Subject) {
        hash = Self.hash(topic, subject)
        self.topic = topic
        self.subject = subject
    }

    @inline(__always)
    static func hash(_ topic: Topic, _ subject: Subject) -> UInt {
        subject.isNone ? topic.hash : Hash.combine(topic.hash, subject.bits)
    }
}
