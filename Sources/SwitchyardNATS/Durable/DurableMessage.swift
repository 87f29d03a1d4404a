// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation

/// A message of a stream. If it is released without an answer, the server delivers it again.
final class DurableMessage: @unchecked Sendable {
    // Sendable: the libnats message is only read from here on; `earlyDeliveries` is set before the
    // message is queued.
    private let handle: OpaquePointer
    let key: DurableWindow.Key
    /// The number of times that the server has delivered the message, including this one.
    let deliveries: Int
    /// The number of deliveries that this process has sent back, because a pause was not over.
    var earlyDeliveries = 0

    init(_ handle: OpaquePointer, _ key: DurableWindow.Key, deliveries: Int) {
        self.handle = handle
        self.key = key
        self.deliveries = deliveries
    }

    deinit { natsMsg_Destroy(handle) }

    var subject: String { natsMsg_GetSubject(handle).map { String(cString: $0) } ?? "" }

    private func header(_ name: String) -> String? { IncomingEvent(handle).header(name) }

    /// Returns a count in a header, limited as in ``AckReply``.
    private func count(_ name: String) -> Int? {
        header(name).flatMap { Int($0) }.map { AckReply.count($0) }
    }

    // MARK: - Counts

    /// Whether the message was given up, and posted again by `postAgain(_:)`.
    private var isAgain: Bool { header(RefusedHeaders.isAgain) != nil }

    /// The number of times that the handler has refused the message since it was posted or posted
    /// again. A delivery is not a refusal: a process may have ended, or a connection broken.
    var refusals: Int {
        guard key.stream == .refused, !isAgain else { return 0 }
        return count(RefusedHeaders.refusals) ?? 1
    }

    /// The time for which a copy of a refused notification still waits at the server before the
    /// handler gets it; nil if it has waited, or need not.
    var pauseBefore: Duration? {
        guard key.stream == .refused, !isAgain else { return nil }
        let whole = Duration.seconds(DurablePauses.seconds(after: refusals))
        guard let until = header(RefusedHeaders.until).flatMap({ Double($0) }), until.isFinite
        else {
            // Earlier versions of Switchyard wrote no time.
            return deliveries == 1 ? whole : nil
        }
        let rest = until / 1_000 - Date().timeIntervalSince1970
        // The clock of the host that wrote the time may be wrong.
        return rest <= 0 ? nil : min(whole, .seconds(min(rest, 1_000_000)))
    }

    /// The number of deliveries to the handler, including this one.
    private var deliveryCount: Int {
        guard key.stream == .refused else { return max(1, deliveries - earlyDeliveries) }
        // The first delivery of a copy only begins its pause, here or at another process.
        let own = isAgain ? deliveries : max(1, deliveries - max(1, earlyDeliveries))
        return (count(RefusedHeaders.tries) ?? 0) + own
    }

    // MARK: - The notification

    /// Returns the notification for the handler; nil if the message is not a notification.
    func notification(_ subjects: SubjectMap) -> DurableNotification? {
        let isKept = key.stream == .kept
        let sequence =
            isKept ? key.sequence : header(RefusedHeaders.sequence).flatMap { UInt64($0) }
        guard let sequence else { return nil }
        let subject =
            isKept
            ? subject : header(RefusedHeaders.subject).flatMap { SubjectMap.unescape($0) }
        return DurableNotification(
            handle, subject: subject, subjects, sequence: sequence, deliveryCount: deliveryCount)
    }

    /// The context of the notification, beside its payload.
    var context: [String: String]? { IncomingEvent(handle).context }

    // MARK: - Copies

    /// Returns the headers of a copy of the message for the stream of refused notifications.
    ///
    /// - Parameters:
    ///   - durable: the name of the observer that refused the message.
    ///   - pause: the seconds for which the copy waits; nil if it was given up.
    ///   - error: the error that the handler threw; nil to leave it out.
    func headers(
        durable: String, refusals: Int, deliveries: Int, pause: Int?, _ error: (any Error)?
    ) -> [(name: String, value: String)] {
        let event = IncomingEvent(handle)
        var headers = event.headerNames
            .filter { !RefusedHeaders.all.contains($0) && RefusedHeaders.isCopied($0) }
            .compactMap { name in event.header(name).map { (name: name, value: $0) } }
        let isKept = key.stream == .kept
        let subject =
            isKept
            ? HeaderText.escape(self.subject) : event.header(RefusedHeaders.subject)
        let sequence = isKept ? String(key.sequence) : event.header(RefusedHeaders.sequence)
        headers += [
            (RefusedHeaders.subject, subject ?? ""), (RefusedHeaders.sequence, sequence ?? "0"),
            (RefusedHeaders.tries, String(deliveries)),
            (RefusedHeaders.refusals, String(refusals)),
            // Has the stream drop a second copy of this message. The handler refuses the message
            // again when the stream's answer to the first copy was lost.
            (RefusedHeaders.identity, identity(of: durable)),
        ]
        if let pause {
            let until = (Date().timeIntervalSince1970 + Double(pause)) * 1_000
            headers.append((RefusedHeaders.until, String(Int64(until))))
        }
        if let error {
            let text = String("\(error)".prefix(RefusedHeaders.longestError))
            headers.append((RefusedHeaders.error, HeaderText.escape(text)))
        }
        return headers
    }

    /// The identity of the copy for an observer: each message has one copy for each observer that
    /// refuses it. Streams that are made again give the same numbers, at other times.
    private func identity(of durable: String) -> String {
        "switchyard-\(durable)-\(key.stream)-\(key.sequence)-\(key.time)"
    }

    /// Publishes a copy with the given headers.
    func publish(
        to subject: String, reply: String, _ headers: [(name: String, value: String)],
        _ connection: OpaquePointer
    ) -> natsStatus {
        RefusedHeaders.publish(
            IncomingEvent(handle).data, to: subject, reply: reply, headers, connection)
    }
}
#endif
