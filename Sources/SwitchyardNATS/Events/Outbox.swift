// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

/// What posting threads share: the session with a server, what waits while there is none, the numbers of
/// notifications, and the topics under which they were posted lately. Guard: the transport's lock.
struct Outbox: ~Copyable {
    private struct Key: Hashable {
        let name: String
        let object: String?
    }

    let process: UInt64
    let source: String
    /// Nil while there is none.
    private(set) var session: NATSSession?
    private var lastToken: UInt64 = 0
    /// What was posted while there was none.
    private var held: [HeldEvent] = []
    private(set) var heldBytes = 0
    /// Those with messages that are ready, by their hash.
    private var ready: [OutgoingTopic?] = Array(repeating: nil, count: 256)
    /// Many more: whoever receives counts what is missing of each.
    private var topics = RecentDictionary<Key, OutgoingTopic>(capacity: 16 * 1024)
    private var topicCount: UInt32 = 0
    private var nextNumber: UInt64 = 1
    private var time = EventTime()
    private var scratch = ByteWriter()
    var pace = WritePace()
    /// How many notifications were published.
    var published: UInt64 { nextNumber - 1 }
    /// So many bytes were published since it was last asked how many wait.
    var unchecked = 0
    /// Whether the server took nothing for a while: posts are not held up by it again until it does.
    var isStalled = false

    init(process: UInt64, source: String) {
        self.process = process
        self.source = source
    }

    /// Hands a notification to libnats.
    ///
    /// - Returns: What libnats says, and how many bytes the whole message takes, about.
    mutating func publish(
        _ notification: OutgoingNotification, on handle: OpaquePointer, _ subjects: SubjectMap
    ) throws -> (natsStatus, size: Int) {
        let topic = try topic(notification.name, notification.object, subjects)
        let (status, size) = try EventData.with(notification.payload, &scratch) { kind, data in
            let message = try topic.message(
                kind, data, isImmediate: notification.deliversImmediately, number: nextNumber,
                place: topic.nextPlace)
            time.patch(message.time)
            return (natsConnection_PublishMsg(handle, message.handle), message.size)
        }
        if status == NATS_OK {
            topic.nextPlace += 1
            nextNumber += 1
        }
        return (status, size)
    }

    // MARK: - Without a session

    /// Keeps a notification until there is a session.
    mutating func hold(_ notification: OutgoingNotification, _ subjects: SubjectMap) throws {
        let topic = try topic(notification.name, notification.object, subjects)
        let event = try EventData.with(notification.payload, &scratch) { kind, data in
            HeldEvent(
                topic: topic, kind: kind, data: Array(data),
                isImmediate: notification.deliversImmediately, number: nextNumber,
                place: topic.nextPlace, time: time.now())
        }
        topic.nextPlace += 1
        nextNumber += 1
        held.append(event)
        heldBytes += event.size
    }

    /// Publishes what waited, and from now on what is posted.
    ///
    /// - Returns: How many of those that waited the server would not take.
    mutating func begin(_ session: NATSSession) -> Int {
        // It may have ended already, and another begun.
        guard session.token > lastToken, let handle = session.handle else { return 0 }
        lastToken = session.token
        let waiting = held
        // Of topics that are not ready, nobody else lets them go.
        defer { for event in waiting { event.topic.removeMessages() } }
        var refused = 0
        for (index, event) in waiting.enumerated() {
            let status = event.publish(on: handle)
            if status == NATS_CONNECTION_CLOSED {
                // It broke again: the rest waits for the next one.
                held.removeFirst(index)
                heldBytes = held.reduce(0) { $0 + $1.size }
                return refused
            }
            // Another server may allow less.
            if status != NATS_OK { refused += 1 }
        }
        held = []
        heldBytes = 0
        self.session = session
        return refused
    }

    /// The session has broken, or is about to.
    mutating func end(_ session: NATSSession) {
        if self.session === session { self.session = nil }
    }

    mutating func stop() {
        session = nil
        held = []
    }

    // MARK: - Topics

    private mutating func topic(
        _ name: String, _ object: String?, _ subjects: SubjectMap
    ) throws -> OutgoingTopic {
        var hash = Topic.name(name).hash
        if let object { hash = hash &* 31 &+ Topic.name(object).hash }
        let place = Int(hash & 255)
        if let topic = ready[place], topic.name == name, topic.object == object { return topic }
        let key = Key(name: name, object: object)
        let topic = try topics.find(key) ?? makeTopic(key, subjects)
        ready[place]?.removeMessages()
        ready[place] = topic
        return topic
    }

    private mutating func makeTopic(_ key: Key, _ subjects: SubjectMap) throws -> OutgoingTopic {
        let subject = subjects.subject(name: key.name, object: key.object)
        guard subject.utf8.count <= SubjectMap.longest else {
            throw DistributedPostError(
                .tooLong,
                "name and object take \(subject.utf8.count) bytes as a NATS subject, and at most "
                    + "\(SubjectMap.longest) can be sent; put what is longer into userInfo")
        }
        topicCount &+= 1
        let topic = OutgoingTopic(
            name: key.name, object: key.object, subject: subject, number: topicCount,
            process: process, source: source)
        topics.set(key, topic)
        return topic
    }
}
#endif
