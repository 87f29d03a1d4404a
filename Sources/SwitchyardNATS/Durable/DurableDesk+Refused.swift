// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed

// Notifications that the handler refused. The stream of refused notifications gets a copy of each,
// with the number of refusals, so that it does not hold up others.
extension DurableDesk {
    /// Puts a message aside after the handler has refused it.
    ///
    /// - Returns: The error to report.
    func refuse(
        _ message: DurableMessage, _ notification: DurableNotification, _ error: any Error
    ) -> NATSError {
        let count = notification.deliveryCount
        let fate = putAside(message, notification, error)
        return NATSError(
            "\"\(notification.name.rawValue)\" from \(notification.sender), number "
                + "\(notification.sequence), delivered \(count) \(count == 1 ? "time" : "times"), was "
                + "refused: \(error); \(fate)")
    }

    /// Puts a message aside that the handler refused.
    ///
    /// - Parameter notification: the message as the handler received it.
    /// - Returns: The fate of the message, as a part of a sentence.
    private func putAside(
        _ message: DurableMessage, _ notification: DurableNotification, _ error: any Error
    ) -> String {
        guard !isPaused, let session = transport?.session else {
            leave(message.key)
            return "it comes again, here or to the process that observes now"
        }
        let refusals = message.refusals + 1
        let isLast = refusals >= tries
        let copy = Copy(
            subject: isLast
                ? DurableStream.givenUp(consumer.domain, consumer.name)
                : DurableStream.waiting(consumer.domain, consumer.name),
            refusals: refusals, deliveries: notification.deliveryCount,
            pause: isLast ? nil : DurablePauses.seconds(after: refusals), error: error)
        put(copy, of: message, notification, session, withError: true)
        return isLast
            ? "it is given up, and put among the refused (switchyard refused)"
            : "it comes again in \(DurablePauses.seconds(after: refusals)) s"
    }

    /// A copy of a refused notification.
    private struct Copy {
        let subject: String
        let refusals: Int
        let deliveries: Int
        /// The seconds for which the copy waits; nil if it was given up.
        let pause: Int?
        let error: any Error
    }

    /// Publishes a copy to the stream of refused notifications. When the stream has kept it,
    /// acknowledges the message.
    private func put(
        _ copy: Copy, of message: DurableMessage, _ notification: DurableNotification,
        _ session: NATSSession, withError: Bool
    ) {
        guard let transport else { return leave(message.key) }
        let headers = message.headers(
            durable: consumer.name, refusals: copy.refusals, deliveries: copy.deliveries,
            pause: copy.pause,
            withError ? copy.error : nil)
        transport.jetStream.ask(copy.subject, on: session) { handle, reply in
            message.publish(to: copy.subject, reply: reply, headers, handle)
        } _: { [self] answer in
            do {
                // The stream has an earlier copy if it takes this one for a duplicate.
                _ = try JetStreamRefusal.check(answer.get())
                self.answer("+ACK", message.key, isHandled: true)
            } catch {
                if !Self.isTooLong(error) { return hold(message, error) }
                if withError {
                    return put(copy, of: message, notification, session, withError: false)
                }
                retryUncopied(message, notification)
            }
        }
    }

    private static func isTooLong(_ error: any Error) -> Bool {
        (error as? NATSError)?.isTooLong == true
            || (error as? JetStreamRefusal)?.code == JetStreamRefusal.tooLong
    }

    /// Delays the message because the server does not take a copy now. It is put aside later.
    private func hold(_ message: DurableMessage, _ error: any Error) {
        delay(message.key, seconds: DurablePauses.seconds(after: message.deliveries))
        transport?.intake?.report(
            problem:
                "the durable observer \"\(consumer.name)\" refused a notification that could not "
                + "be put aside, and holds up others: \(error)")
    }

    /// Delays a message that is too long for a copy with more headers. After too many refusals, or
    /// while too many such messages wait, the message is lost, and reported as lost.
    private func retryUncopied(_ message: DurableMessage, _ notification: DurableNotification) {
        if let refusals = countUncopied(message.key) {
            return delay(message.key, seconds: DurablePauses.seconds(after: refusals))
        }
        answer("+TERM", message.key, isHandled: true)
        transport?.intake?.report(
            DistributedLoss(
                peer: notification.sender, direction: .incoming, count: 1,
                reason: "the durable observer \"\(consumer.name)\" refused "
                    + "\"\(notification.name.rawValue)\", number \(notification.sequence), which can't be "
                    + "put aside: with the headers for that, it is longer than the server allows. "
                    + "Raise the server's max_payload, or put less into a notification"))
    }

    /// Drops a message that is not a notification, and reports it as lost.
    func dropUnreadable(_ message: DurableMessage) {
        answer("+TERM", message.key, isHandled: true)
        guard let transport else { return }
        transport.intake?.report(
            DistributedLoss(
                peer: transport.streamPeer, direction: .incoming, count: 1,
                reason: "the durable observer \"\(consumer.name)\" can't read number "
                    + "\(message.key.sequence) of the stream "
                    + "\(message.key.stream.name(consumer.domain)), at \(message.subject), as a "
                    + "notification: its publisher has to write subject and headers as the page "
                    + "NATSReference of the documentation says"))
    }
}
#endif
