// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The messages that the server has delivered to a durable observer, and that the observer has not
/// answered. Guard: the desk's lock.
struct DurableWindow: Sendable {
    /// The identity of a message. A stream that was created again has new sequence numbers, so its
    /// messages belong to another age.
    ///
    /// A server (2.9.10) that is killed while a stream becomes empty may forget the stream's last
    /// sequence numbers, and give them to new messages. So the time belongs to the identity too.
    struct Key: Hashable, Sendable {
        let stream: DurableStream
        let age: Int
        let sequence: UInt64
        /// The time at which the stream took the message, in nanoseconds since 1970.
        let time: UInt64
    }

    /// The treatment of a message that has come.
    enum Verdict {
        case isNew
        /// The message came before, and still waits for the handler or is being handled.
        case waits
        /// The handler has returned from the message, and the server did not get the answer.
        case wasHandled
    }

    /// A message without an answer: the reply subject for the answer, and the number of deliveries.
    private struct Open: Sendable {
        var reply: String
        var deliveries: Int
        /// Whether it has come again meanwhile, so that the server waits for an answer to that.
        var hasComeAgain = false
    }

    private var open: [Key: Open] = [:]
    private var handled: Set<Key> = []
    private var handledInOrder: [Key] = []
    private var oldest = 0
    private var ages: [DurableStream: Int] = [:]

    /// The number of handled messages to remember: as many as can be without an answer. When a
    /// connection breaks, the answers to all of them may be lost.
    private static let mostHandled = DurableStream.allCases.reduce(0) { $0 + $1.mostUnanswered }

    /// Whether a message waits for the handler, or is being handled.
    func isOpen(_ key: Key) -> Bool { open[key] != nil }

    /// Whether messages of a stream, as it is now, wait for the handler or are being handled.
    func hasOpen(of stream: DurableStream) -> Bool {
        open.contains { $0.key.stream == stream && $0.key.age == age(of: stream) }
    }

    mutating func take(_ key: Key, reply: String, deliveries: Int) -> Verdict {
        let delivery = Open(reply: reply, deliveries: deliveries)
        if let known = open[key] {
            if deliveries >= known.deliveries { open[key] = delivery }
            open[key]?.hasComeAgain = true
            return .waits
        }
        if handled.contains(key) { return .wasHandled }
        open[key] = delivery
        return .isNew
    }

    /// Removes a message that is done with.
    ///
    /// - Returns: The reply subject for the answer; nil if the server expects none.
    mutating func close(_ key: Key, isHandled: Bool) -> String? {
        let reply = open.removeValue(forKey: key)?.reply
        if isHandled { remember(key) }
        return key.age == age(of: key.stream) ? reply : nil
    }

    /// Takes note that the server delivers nothing more to this process for now, and what it has
    /// delivered to any other.
    mutating func pause() { for key in open.keys { open[key]?.hasComeAgain = false } }

    /// Removes a message that this process gives up.
    ///
    /// - Returns: The reply subject by which the server learns that; nil if it knows, because its
    ///   delivery has ended with the subscription.
    mutating func leave(_ key: Key) -> String? {
        let hasComeAgain = open[key]?.hasComeAgain == true
        let reply = close(key, isHandled: false)
        return hasComeAgain ? reply : nil
    }

    private mutating func remember(_ key: Key) {
        guard handled.insert(key).inserted else { return }
        if handledInOrder.count < Self.mostHandled {
            handledInOrder.append(key)
        } else {
            handled.remove(handledInOrder[oldest])
            handledInOrder[oldest] = key
            oldest = (oldest + 1) % Self.mostHandled
        }
    }

    /// The reply subjects for signs of life.
    var replies: [String] {
        open.filter { $0.key.age == age(of: $0.key.stream) }.map(\.value.reply)
    }

    func age(of stream: DurableStream) -> Int { ages[stream, default: 0] }

    /// Begins a new age, because the stream's sequence numbers begin anew.
    mutating func beginAge(of stream: DurableStream) { ages[stream, default: 0] += 1 }
}
#endif
