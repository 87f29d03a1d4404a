// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
public import SwitchyardDistributed

// Notifications that durable observers' handlers refused so often that they were given up.
extension DistributedNotificationCenter {
    /// Returns the notifications that were given up: a durable observer's handler threw for each of
    /// them ``NATSOptions/durableTries`` times. They are kept for ``NATSOptions/streamAge``.
    ///
    /// The call blocks for one round trip to the server for each notification.
    ///
    /// - Parameter durable: the name of the durable observer; nil for all.
    /// - Returns: The refused notifications, in the order in which they were given up.
    /// - Throws: ``NATSError`` when the cluster can't be asked.
    public func refused(durable: String? = nil) throws -> [RefusedNotification] {
        if let durable { try DurableConsumer.check(name: durable) }
        let transport = try natsTransport()
        let domain = transport.options.domain
        let stream = DurableStream.refused.name(domain)
        let subject = DurableStream.givenUp(domain, durable)
        var found: [RefusedNotification] = []
        try transport.withSession { session in
            var next: UInt64 = 1
            while true {
                let body: [String: Any] = ["seq": next, "next_by_subj": subject]
                let answer: [String: Any]
                do {
                    answer = try transport.jetStream.ask(
                        "STREAM.MSG.GET.\(stream)", body, on: session)
                } catch let error as JetStreamRefusal
                    where [JetStreamRefusal.noMessage, JetStreamRefusal.noStream].contains(
                        error.code)
                {
                    return
                }
                guard let message = answer["message"] as? [String: Any],
                    let number = message["seq"] as? UInt64, number >= next, number < .max
                else { return }
                next = number + 1
                if let refused = RefusedNotification(message, transport.subjects) {
                    found.append(refused)
                }
            }
        }
        return found
    }

    /// Posts a notification again that was given up. Only the durable observer that refused it
    /// receives it. If that observer is away, the notification waits for it. Two processes that
    /// post the same one again at the same time have it heard once, as long as the server remembers
    /// the first: two minutes, unless the stream says otherwise.
    ///
    /// - Throws: ``NATSError`` when the cluster can't be asked; the notification then stays among
    ///   the refused.
    public func postAgain(_ refused: RefusedNotification) throws {
        let transport = try natsTransport()
        let subject = DurableStream.waiting(transport.options.domain, refused.durable)
        try transport.withSession { session in
            let answer = try transport.jetStream.answer(to: subject, on: session) { handle, reply in
                refused.data.withUnsafeBytes {
                    RefusedHeaders.publish(
                        $0, to: subject, reply: reply, refused.headersAgain, handle)
                }
            }
            // Another process has posted it again if the stream takes it for a duplicate.
            _ = try JetStreamRefusal.check(answer)
        }
        try discard(refused)
    }

    /// Deletes a notification that was given up. Does nothing if another process has deleted it, or
    /// posted it again.
    ///
    /// - Throws: ``NATSError`` when the cluster can't be asked.
    public func discard(_ refused: RefusedNotification) throws {
        let transport = try natsTransport()
        let stream = DurableStream.refused.name(transport.options.domain)
        try transport.withSession { session in
            do {
                try transport.jetStream.ask(
                    "STREAM.MSG.DELETE.\(stream)", ["seq": refused.id], on: session)
            } catch let error as JetStreamRefusal where error.isAboutNothing {
                // Another process has deleted it already.
                return
            }
        }
    }
}
#endif
