// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardCore

/// An observation for which a stream keeps what is posted while nobody is there to hear it.
///
/// It ends with its last reference, or with ``cancel()``; the stream goes on to keep what is posted, for the
/// next with the same name.
public final class DurableObservation: Sendable {
    private struct State: @unchecked Sendable {
        // Sendable: libnats locks what is behind the pointer.
        var subscription: OpaquePointer?
        var hasEnded = false
    }

    private let center = MessageCenter()
    private let consumer: DurableConsumer
    private let subjects: SubjectMap
    private let state = Guarded(State())
    private let token: ObservationToken
    private let answer: DurableMessage.Answer

    /// - Parameters:
    ///   - answer: tells the server what became of a message.
    ///   - register: registers the handler with a center of this observation's own.
    init(
        _ consumer: DurableConsumer, _ subjects: SubjectMap,
        _ answer: @escaping DurableMessage.Answer,
        _ report: @escaping @Sendable (DeliveryProblem) -> Void,
        _ register: (MessageCenter) -> ObservationToken
    ) {
        self.consumer = consumer
        self.subjects = subjects
        self.answer = answer
        center.onProblem(report)
        token = register(center)
    }

    deinit { cancel() }

    /// Ends it. What was delivered and not handled to the end is delivered again, to the next one.
    public func cancel() {
        token.cancel()
        let subscription = state.withLock { state in
            defer {
                state.subscription = nil
                state.hasEnded = true
            }
            return state
        }.subscription
        natsSubscription_Destroy(subscription)
    }

    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Listens where the server sends what it keeps. Again for each session.
    func begin(_ context: OpaquePointer) throws {
        // For as long as libnats may call: until the subscription is complete.
        let own = Unmanaged.passRetained(Receiver(center, subjects, consumer.handlingTime, answer))
        let made: OpaquePointer
        do {
            made = try consumer.subscribe(context, own.toOpaque()) { _, _, message, place in
                guard let message, let place else { return }
                Unmanaged<Receiver>.fromOpaque(place).takeUnretainedValue().receive(message)
            }
        } catch {
            own.release()
            throw error
        }
        natsSubscription_SetOnCompleteCB(
            made,
            { place in
                guard let place else { return }
                Unmanaged<Receiver>.fromOpaque(place).release()
            }, own.toOpaque())
        replace(State(subscription: made))
    }

    private func replace(_ new: State) {
        let earlier = state.withLock { state in
            if state.hasEnded { return new }
            defer { state = new }
            return state
        }
        natsSubscription_Destroy(earlier.subscription)
    }

    /// Gives to the mailbox what libnats brings, on a thread of its own.
    private final class Receiver: Sendable {
        private let center: MessageCenter
        private let subjects: SubjectMap
        private let handlingTime: Duration
        private let answer: DurableMessage.Answer

        init(
            _ center: MessageCenter, _ subjects: SubjectMap, _ handlingTime: Duration,
            _ answer: @escaping DurableMessage.Answer
        ) {
            self.center = center
            self.subjects = subjects
            self.handlingTime = handlingTime
            self.answer = answer
        }

        func receive(_ message: OpaquePointer) {
            let message = DurableMessage(message, subjects, handlingTime, answer)
            center.post(DurableDelivery(message: message))
        }
    }
}

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
            refuse()
            throw error
        }
        accept()
    }

    func handleAsync(_ handler: (DurableNotification) async throws -> Void) async throws {
        guard let notification = notification() else { return }
        do {
            try await handler(notification)
        } catch {
            refuse()
            throw error
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

    private func refuse() {
        tell("-NAK {\"delay\": \(Self.pause)}")
        isAnswered = true
    }
}
#endif
