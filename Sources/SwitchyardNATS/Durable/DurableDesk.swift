// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardDistributed
@_spi(Engine) internal import SwitchyardCore

/// The bookkeeping of a durable observer's messages. The desk tells new messages from repeated
/// ones, gives the handler one after the other, and answers the server.
final class DurableDesk: Sendable {
    private struct State: Sendable {
        var window = DurableWindow()
        var queue = DurableQueue()
        /// The number of refusals of each message that is too long to be put aside.
        var uncopiedRefusals: [DurableWindow.Key: Int] = [:]
        var pauses = DurablePauses()
        /// Whether the observation has ended.
        var isClosed = false

        /// Forgets the messages that another process may handle, or that belong to an earlier
        /// stream.
        mutating func forgetRefusals(of stream: DurableStream) {
            uncopiedRefusals = uncopiedRefusals.filter { $0.key.stream != stream }
        }
    }

    let consumer: DurableConsumer
    let subjects: SubjectMap
    /// The number of times that the handler may refuse a notification.
    let tries: Int
    private let state = Guarded(State())
    weak let transport: NATSTransport?

    init(_ consumer: DurableConsumer, _ transport: NATSTransport) {
        self.consumer = consumer
        self.transport = transport
        subjects = transport.subjects
        tries = max(1, transport.options.durableTries)
    }

    // MARK: - Messages from the server

    /// The stream and the age of a subscription. Its messages count until the desk is paused.
    struct Listening: Sendable {
        let stream: DurableStream
        let age: Int
        let pauses: Int
    }

    func beginListening(to stream: DurableStream) -> Listening {
        state.withLock {
            Listening(stream: stream, age: $0.window.age(of: stream), pauses: $0.queue.pauses)
        }
    }

    /// Takes over a libnats message: the desk destroys it from now on.
    ///
    /// - Returns: Whether the message waits for a turn of the handler.
    func take(_ handle: OpaquePointer, _ listening: Listening) -> Bool {
        guard let text = natsMsg_GetReply(handle).map({ String(cString: $0) }),
            let reply = AckReply(text)
        else {
            natsMsg_Destroy(handle)
            return false
        }
        let key = DurableWindow.Key(
            stream: listening.stream, age: listening.age, sequence: reply.sequence,
            time: reply.time)
        let message = DurableMessage(handle, key, deliveries: reply.deliveries)
        if subjects.isForCenters(message.subject) {
            send("+ACK", to: text)
            return false
        }
        let known = message.pauseBefore
        let rest = state.withLock { state in
            // The pause of a message that waits for the handler, or is with it, was over.
            if state.window.isOpen(key) { return Duration?.none }
            let rest = state.pauses.rest(of: key, known: known, at: .now)
            message.earlyDeliveries = state.pauses.earlyDeliveries(of: key)
            return rest
        }
        if let rest {
            send(Self.refusal(rest), to: text)
            return false
        }
        let verdict = state.withLock { state -> DurableWindow.Verdict? in
            // The message comes again, to the subscription that replaced this one.
            if state.isClosed || state.queue.pauses != listening.pauses { return nil }
            let verdict = state.window.take(key, reply: text, deliveries: reply.deliveries)
            if verdict == .isNew { state.queue.append(message) }
            return verdict
        }
        if verdict == .wasHandled { send("+ACK", to: text) }
        return verdict == .isNew
    }

    func beginAge(of stream: DurableStream) {
        state.withLock { state in
            state.window.beginAge(of: stream)
            state.forgetRefusals(of: stream)
        }
    }

    // MARK: - Turns of the handler

    /// Returns the message for a turn of the handler; nil when the desk is paused, or the message
    /// was dropped.
    func takeTurn() -> DurableMessage? { state.withLock { $0.queue.takeTurn() } }

    /// Returns the notification in a message. If the message is not a notification, drops it,
    /// reports that, and returns nil.
    func read(_ message: DurableMessage) -> DurableNotification? {
        if let notification = message.notification(subjects) { return notification }
        dropUnreadable(message)
        return nil
    }

    /// Stops giving messages to the handler, because another process may use the observer's name.
    func pause() {
        state.withLock { state in
            state.queue.pause()
            state.window.pause()
        }
    }

    /// - Returns: The number of turns owed to the handler.
    func resume() -> Int { state.withLock { $0.queue.resume() } }

    var isPaused: Bool { state.withLock(\.queue.isPaused) }

    /// The number of messages that wait for the handler.
    var waitingCount: Int { state.withLock(\.queue.count) }

    /// Whether messages of a stream wait for the handler, or are being handled.
    func isBusy(with stream: DurableStream) -> Bool {
        state.withLock { $0.window.hasOpen(of: stream) }
    }

    /// Drops a stream's waiting messages. The server delivers them again, here or to another
    /// process.
    func dropWaiting(of stream: DurableStream) {
        let dropped = state.withLock { state in
            let age = state.window.age(of: stream)
            let dropped = state.queue.remove { $0.key.stream == stream && $0.key.age == age }
            for message in dropped { _ = state.window.close(message.key, isHandled: false) }
            state.forgetRefusals(of: stream)
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }

    /// Drops the waiting messages of all streams and ages, and takes no more.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            state.queue.pause()
            let dropped = state.queue.remove { _ in true }
            for message in dropped { _ = state.window.close(message.key, isHandled: false) }
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }

    // MARK: - Answers to the server

    /// Publishes an answer at a message's reply subject.
    private func send(_ answer: String, to reply: String) {
        guard let session = transport?.session, let handle = session.handle else { return }
        natsConnection_PublishString(handle, reply, answer)
        // The session, which owns the handle, must live until the call has returned.
        withExtendedLifetime(session) {}
    }

    private static func refusal(_ pause: Duration) -> String {
        "-NAK {\"delay\": \(max(1, pause.milliseconds))000000}"
    }

    /// Tells the server that this process still works on all messages that wait or are being
    /// handled. Tells it nothing while the desk is paused: the messages may be another process's.
    func keepInProgress() {
        let replies = state.withLock { $0.queue.isPaused ? [] : $0.window.replies }
        for reply in replies { send("+WPI", to: reply) }
    }

    /// Sends a message's answer to the server, and removes the message from the window.
    func answer(_ answer: String, _ key: DurableWindow.Key, isHandled: Bool) {
        let reply = state.withLock { state in
            if isHandled {
                state.uncopiedRefusals[key] = nil
                state.pauses.end(key)
            }
            return state.window.close(key, isHandled: isHandled)
        }
        if let reply { send(answer, to: reply) }
    }

    /// Asks the server to deliver a message again after a pause.
    func delay(_ key: DurableWindow.Key, seconds: Int) {
        let pause = Duration.seconds(seconds)
        state.withLock { $0.pauses.begin(key, until: .now + pause) }
        answer(Self.refusal(pause), key, isHandled: false)
    }

    /// Removes a message from the window. The server delivers it again, here or to another process.
    func leave(_ key: DurableWindow.Key) {
        let reply = state.withLock { $0.window.leave(key) }
        if let reply { send(Self.refusal(.zero), to: reply) }
    }

    // MARK: - Messages too long to be put aside

    /// The largest number of such messages that are tried again. Each of them counts in the
    /// server's limit of messages without an answer.
    private static let mostUncopied = 16

    /// Counts a refusal of a message that can't be put aside.
    ///
    /// - Returns: The number of refusals so far; nil when the message has to be given up.
    func countUncopied(_ key: DurableWindow.Key) -> Int? {
        state.withLock { state in
            let count = state.uncopiedRefusals[key, default: 0] + 1
            if count >= tries || count == 1 && state.uncopiedRefusals.count >= Self.mostUncopied {
                state.uncopiedRefusals[key] = nil
                return nil
            }
            state.uncopiedRefusals[key] = count
            return count
        }
    }
}
#endif
