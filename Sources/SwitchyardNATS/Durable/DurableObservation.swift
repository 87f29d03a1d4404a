// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
internal import SwitchyardCore

/// An observation for which a stream keeps what is posted while nobody is there to hear it.
///
/// It ends with its last reference, or with ``cancel()``; the stream goes on to keep what is posted, for the
/// next with the same name.
public final class DurableObservation: @unchecked Sendable {
    // Sendable: `subscription` is set before anything comes, and cleared under the lock of `ended`.

    private struct Delivery: NotificationMessage {
        typealias Subject = Never
        let message: DurableMessage
    }

    private let center = MessageCenter()
    private let subjects: SubjectMap
    private var subscription: OpaquePointer?
    private let ended = Guarded(false)
    private var token: ObservationToken?

    init(
        _ consumer: DurableConsumer, _ subjects: SubjectMap, on context: DeliveryContext,
        _ report: @escaping @Sendable (DeliveryProblem) -> Void,
        _ handler: @escaping @Sendable (DurableNotification) throws -> Void
    ) throws {
        self.subjects = subjects
        center.onProblem(report)
        token = center.observe(Delivery.self, on: context) { delivery in
            try delivery.message.handle(handler)
        }
        // For as long as libnats may call: until the subscription is complete.
        let own = Unmanaged.passRetained(Receiver(center, subjects))
        do {
            subscription = try consumer.subscribe(own.toOpaque()) { _, _, message, place in
                guard let message, let place else { return }
                Unmanaged<Receiver>.fromOpaque(place).takeUnretainedValue().receive(message)
            }
        } catch {
            own.release()
            throw error
        }
        natsSubscription_SetOnCompleteCB(
            subscription,
            { place in
                guard let place else { return }
                Unmanaged<Receiver>.fromOpaque(place).release()
            }, own.toOpaque())
    }

    deinit { cancel() }

    /// Ends it. What was delivered and not handled to the end is delivered again, to the next one.
    public func cancel() {
        let isFirst = ended.withLock { ended in
            defer { ended = true }
            return !ended
        }
        guard isFirst else { return }
        token?.cancel()
        if let subscription { natsSubscription_Destroy(subscription) }
    }

    /// Gives to the mailbox what libnats brings, on a thread of its own.
    private final class Receiver: Sendable {
        private let center: MessageCenter
        private let subjects: SubjectMap

        init(_ center: MessageCenter, _ subjects: SubjectMap) {
            self.center = center
            self.subjects = subjects
        }

        func receive(_ message: OpaquePointer) {
            center.post(Delivery(message: DurableMessage(message, subjects)))
        }
    }
}

/// A message for a consumer, until it is handled. Given up without, it comes again.
final class DurableMessage: @unchecked Sendable {
    // Sendable: one thread at a time has it, from the one that receives to the handler's.
    private let message: OpaquePointer
    private let subjects: SubjectMap
    /// Whether the server has been told what became of it.
    private var isAnswered = false

    init(_ message: OpaquePointer, _ subjects: SubjectMap) {
        self.message = message
        self.subjects = subjects
    }

    deinit {
        // The observation has ended: the next one need not wait until the server gives it up.
        if !isAnswered { natsMsg_Nak(message, nil) }
        natsMsg_Destroy(message)
    }

    /// Milliseconds until one comes again whose handler threw.
    private static let pause: Int64 = 1_000

    func handle(_ handler: (DurableNotification) throws -> Void) throws {
        isAnswered = true
        guard let notification = DurableNotification(message, subjects) else {
            // Nobody will ever understand it.
            natsMsg_Term(message, nil)
            return
        }
        do {
            try handler(notification)
            natsMsg_Ack(message, nil)
        } catch {
            natsMsg_NakWithDelay(message, Self.pause, nil)
            throw error
        }
    }
}
#endif
