// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardCore

/// What takes a message to its handler.
struct DurableDelivery: NotificationMessage {
    typealias Subject = Never
    let message: DurableMessage
}

/// A message for a consumer, until it is handled. Given up without, it comes again.
final class DurableMessage: @unchecked Sendable {
    // Sendable: one thread at a time has it, from the one that receives to the handler's.
    private let message: OpaquePointer
    private let subjects: SubjectMap
    private let handlingTime: Duration
    private let arrival = ContinuousClock.now
    /// Whether the server has been told what became of it.
    private var isAnswered = false

    /// Publishes a text where the server waits for an answer: by the session there is at the time.
    ///
    /// Not the library's own way: it goes by the message's subscription, which may have ended.
    typealias Answer = @Sendable (_ reply: UnsafePointer<CChar>, _ text: String) -> Void
    private let answer: Answer

    init(
        _ message: OpaquePointer, _ subjects: SubjectMap, _ handlingTime: Duration,
        _ answer: @escaping Answer
    ) {
        self.message = message
        self.subjects = subjects
        self.handlingTime = handlingTime
        self.answer = answer
    }

    private func tell(_ text: String) {
        if let reply = natsMsg_GetReply(message) { answer(reply, text) }
    }

    deinit {
        // The observation has ended: the next one need not wait until the server gives it up.
        if !isAnswered { tell("-NAK") }
        natsMsg_Destroy(message)
    }

    func handle(_ handler: (DurableNotification) throws -> Void) throws {
        guard let notification = notification() else { return }
        do {
            try handler(notification)
        } catch {
            throw refuse(notification, error)
        }
        accept()
    }

    func handleAsync(_ handler: (DurableNotification) async throws -> Void) async throws {
        guard let notification = notification() else { return }
        do {
            try await handler(notification)
        } catch {
            throw refuse(notification, error)
        }
        accept()
    }

    /// What is to be handled; nil when it is not.
    private func notification() -> DurableNotification? {
        let wait = ContinuousClock.now - arrival
        if wait * 10 > handlingTime * 9 {
            // The handler was busy for so long: it comes again, or is here again already.
            isAnswered = true
            return nil
        }
        // Its time begins now.
        if wait * 10 > handlingTime { tell("+WPI") }
        if let notification = DurableNotification(message, subjects) { return notification }
        // Nobody will ever understand it.
        tell("+TERM")
        isAnswered = true
        return nil
    }

    private func accept() {
        tell("+ACK")
        isAnswered = true
    }

    /// Nanoseconds until one comes again whose handler threw.
    private static let pause = 1_000_000_000

    /// - Returns: What to tell of it.
    private func refuse(_ notification: DurableNotification, _ error: any Error) -> NATSError {
        tell("-NAK {\"delay\": \(Self.pause)}")
        isAnswered = true
        return NATSError(
            "\"\(notification.name.rawValue)\" from \(notification.sender), number "
                + "\(notification.sequence), delivered \(notification.deliveryCount) times: "
                + "\(error)")
    }
}
#endif
