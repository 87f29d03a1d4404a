// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The messages that wait for a durable observer's handler, in the order of delivery. Guard: the
/// desk's lock.
///
/// For each appended message, the observer's center delivers one turn to the handler, and a turn
/// takes the first message. While the queue is paused, turns take nothing, and are owed to the
/// handler. So the queue alone decides the order, whatever threads append and take.
struct DurableQueue: Sendable {
    /// The messages, oldest first; nil for a message that was taken.
    private var messages: [DurableMessage?] = []
    /// The index of the first waiting message.
    private var first = 0
    /// Whether the handler gets no messages, because another process may use the observer's name.
    private(set) var isPaused = true
    /// The number of turns that took nothing because the queue was paused.
    private var owedTurns = 0
    /// The number of pauses. A subscription made before a pause may deliver late; its messages no
    /// longer count.
    private(set) var pauses = 0

    /// The number of waiting messages.
    var count: Int { messages.count - first }

    mutating func append(_ message: DurableMessage) { messages.append(message) }

    /// Returns the message for a turn of the handler; nil when the queue is paused, or the message
    /// was dropped.
    mutating func takeTurn() -> DurableMessage? {
        if isPaused {
            owedTurns += 1
            return nil
        }
        guard first < messages.count else { return nil }
        let message = messages[first]
        messages[first] = nil
        first += 1
        // Removed in large steps, so that each message is moved about once.
        if first > 64, first * 2 > messages.count {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }

    mutating func pause() {
        isPaused = true
        pauses += 1
    }

    /// - Returns: The number of turns owed to the handler.
    mutating func resume() -> Int {
        isPaused = false
        defer { owedTurns = 0 }
        return owedTurns
    }

    /// Removes messages.
    ///
    /// - Returns: The removed messages, for the caller to release without the lock.
    mutating func remove(where isMeant: (DurableMessage) -> Bool) -> [DurableMessage] {
        let waiting = messages.compactMap { $0 }
        let removed = waiting.filter(isMeant)
        messages = waiting.filter { !isMeant($0) }
        first = 0
        return removed
    }
}
#endif
