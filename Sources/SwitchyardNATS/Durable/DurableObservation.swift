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
    // Sendable: libnats locks what is behind the pointer.
    private struct State: @unchecked Sendable {
        var subscription: OpaquePointer?
        var hasEnded = false
    }

    private let center = MessageCenter()
    private let consumer: DurableConsumer
    private let state = Guarded(State())
    private let token: ObservationToken
    /// Gives to the mailbox what libnats brings, on a thread of its own.
    private let hear: @Sendable (OpaquePointer) -> Void

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
        let handlingTime = consumer.handlingTime
        hear = { [center] message in
            let message = DurableMessage(message, subjects, handlingTime, answer)
            center.post(DurableDelivery(message: message))
        }
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
        let made = try Listener.listen(hear) { try consumer.subscribe(context, $0, $1) }
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
}
#endif
