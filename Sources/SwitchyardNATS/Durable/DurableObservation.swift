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
#endif
