// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import SwitchyardWire

/// The posts on their way to the server, which posting threads share: the session with a server,
/// the events that wait while there is none, the numbers of notifications, and the topics used
/// lately. Guard: the transport's lock.
struct PublishQueue: ~Copyable {
    private struct Key: Hashable {
        let name: String
        let object: String?
    }

    let process: UInt64
    let source: String
    /// The session to which posts go; nil while there is none.
    private(set) var session: NATSSession?
    private var lastToken: UInt64 = 0
    /// The events posted while there was no session.
    private var held: [HeldEvent] = []
    private(set) var heldBytes = 0
    /// Topics whose libnats messages are ready, indexed by their hash.
    private var ready: [OutgoingTopic?] = Array(repeating: nil, count: 256)
    /// The topics used lately, of which there are many more than in `ready`: a topic that leaves
    /// this dictionary loses its numbers, in which receivers count gaps.
    private var topics = RecentDictionary<Key, OutgoingTopic>(capacity: 16 * 1024)
    private var topicCount: UInt32 = 0
    private var nextNumber: UInt64 = 1
    private var time = EventTime()
    private var scratch = ByteWriter()
    var pace = WritePace()
    /// The number of the first event that was lost because this process left; nil before that.
    private var firstLeft: UInt64?
    /// The number of the last event that the server is known to have taken, or that the user knows
    /// to have been under way when a session broke.
    private var settled: UInt64 = 0
    /// The number of the last event before the last break of a session.
    private var broken: UInt64 = 0
    /// Whether events were under way when a session broke, and the user has not been told.
    private var hasUntoldBreak = false
    private var hasStopped = false
    /// The number of notifications that were given a number, published or held.
    var published: UInt64 { nextNumber - 1 }
    /// The number of the first event that waits for a session, or else of the next post.
    var firstNumber: UInt64 { firstLeft ?? held.first?.number ?? nextNumber }
    /// The bytes published since the last check of the bytes that wait in the session.
    var unchecked = 0
    /// Whether the server took nothing for a while. Until it takes data again, posts do not wait
    /// for it.
    var isStalled = false

    init(process: UInt64, source: String) {
        self.process = process
        self.source = source
    }

    /// Hands a notification to libnats.
    ///
    /// - Returns: The status that libnats returns, and the approximate size of the message in
    ///   bytes.
    mutating func publish(
        _ notification: OutgoingNotification, on handle: OpaquePointer, _ subjects: SubjectMap
    ) throws -> (natsStatus, size: Int) {
        let topic = try topic(notification.name, notification.object, subjects)
        let isTraced = TraceCrossing.isLeaving
        let (status, size) = try EventData.with(notification.payload, &scratch) { kind, data in
            try topic.publish(
                EventAttributes(kind, notification, isTraced: isTraced), data, number: nextNumber,
                topicSequence: topic.nextSequence, on: handle
            ) { time.patch($0) }
        }
        if status == NATS_OK {
            topic.nextSequence += 1
            if isTraced { TraceCrossing.sent(through: passage) }
            nextNumber += 1
        }
        return (status, size)
    }

    /// Whether this process leaves: what was not sent has been counted as lost.
    var hasLeft: Bool { firstLeft != nil }

    // MARK: - Without a session

    /// Keeps a notification until there is a session.
    mutating func hold(_ notification: OutgoingNotification, _ subjects: SubjectMap) throws {
        let topic = try topic(notification.name, notification.object, subjects)
        let event = try EventData.with(notification.payload, &scratch) { kind, data in
            HeldEvent(
                topic: topic,
                attributes: EventAttributes(
                    kind, notification, isTraced: TraceCrossing.isLeaving),
                data: Array(data), number: nextNumber, topicSequence: topic.nextSequence,
                time: time.now())
        }
        topic.nextSequence += 1
        if TraceCrossing.isLeaving { TraceCrossing.sent(through: passage) }
        nextNumber += 1
        held.append(event)
        heldBytes += event.size
    }

    /// The way of the next notification, in traces. The server alone knows which processes it leads
    /// to.
    private var passage: TracePassage {
        TracePassage(
            connection: TracePassage.connection(HexDigits.text16(process)), process: 0,
            sequence: nextNumber)
    }

    /// Publishes the events that waited; from now on, posts go to the session.
    ///
    /// - Returns: The number of waiting events that the server refused.
    mutating func begin(_ session: NATSSession) -> Int {
        // The session may have ended already, and another one begun.
        guard !hasStopped, session.token > lastToken, let handle = session.handle else { return 0 }
        lastToken = session.token
        let waiting = held
        // Releases the messages of topics that are not in `ready`; nobody else would.
        defer { for event in waiting { event.topic.removeMessages() } }
        var refused = 0
        for (index, event) in waiting.enumerated() {
            let status = event.publish(on: handle)
            if status == NATS_CONNECTION_CLOSED {
                // The connection broke again: the remaining events wait for the next session.
                held.removeFirst(index)
                noteBreak(behind: firstNumber - 1)
                heldBytes = held.reduce(0) { $0 + $1.size }
                return refused
            }
            // A new server may allow shorter messages than the last one did.
            if status != NATS_OK { refused += 1 }
        }
        held = []
        heldBytes = 0
        self.session = session
        return refused
    }

    /// Stops using a session that has broken or is about to.
    mutating func end(_ session: NATSSession) {
        guard self.session === session else { return }
        self.session = nil
        noteBreak(behind: published)
    }

    private mutating func noteBreak(behind last: UInt64) {
        broken = last
        if settled < last { hasUntoldBreak = true }
    }

    /// Notes that the server has taken the events up to a number.
    mutating func settle(upTo number: UInt64) { settled = max(settled, number) }

    /// Notes that the user has been told of the break of the last session.
    mutating func settleBreak() {
        settle(upTo: broken)
        hasUntoldBreak = false
    }

    /// The events that are lost because this process leaves.
    struct Left {
        /// The number of the first event that was not published.
        let first: UInt64
        /// The number of events that waited for a session.
        let held: Int
        /// Whether the server is not known to have taken all events that were published.
        let mayLackPublished: Bool
        /// Whether events were under way when a session broke, and the user has not been told.
        let hasUntoldBreak: Bool
    }

    /// Gives up the events that wait for a session, because this process leaves.
    ///
    /// - Returns: Nil for all calls but the first, so that nothing is counted twice.
    mutating func leave() -> Left? {
        if firstLeft != nil { return nil }
        let left = Left(
            first: firstNumber, held: held.count,
            mayLackPublished: settled + 1 < firstNumber, hasUntoldBreak: hasUntoldBreak)
        firstLeft = left.first
        held = []
        heldBytes = 0
        return left
    }

    /// Stops for good: no session begins any more.
    mutating func stop() {
        hasStopped = true
        session = nil
        held = []
        heldBytes = 0
    }

    // MARK: - Topics

    private mutating func topic(
        _ name: String, _ object: String?, _ subjects: SubjectMap
    ) throws -> OutgoingTopic {
        var hash = Topic.name(name).hash
        if let object { hash = hash &* 31 &+ Topic.name(object).hash }
        let index = Int(hash & 255)
        if let topic = ready[index], topic.name == name, topic.object == object { return topic }
        let key = Key(name: name, object: object)
        let topic = try topics.find(key) ?? makeTopic(key, subjects)
        ready[index]?.removeMessages()
        ready[index] = topic
        return topic
    }

    private mutating func makeTopic(_ key: Key, _ subjects: SubjectMap) throws -> OutgoingTopic {
        let subject = subjects.subject(name: key.name, object: key.object)
        guard subject.utf8.count <= SubjectMap.longest else {
            throw DistributedPostError(
                .tooLong,
                "name and object take \(subject.utf8.count) bytes as a NATS subject, and at most "
                    + "\(SubjectMap.longest) can be sent; put a longer text into userInfo")
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
