// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
/// The right to take over a durable observer's name: a consumer that only one process at a time can
/// have, because each makes it with a subject of its own. It ends with ``end()``, and a second
/// after its process at the latest.
struct DurableClaim {
    private let transport: NATSTransport
    private let session: NATSSession
    private let subscription: CallbackSubscription
    /// The consumer, as in requests to JetStream. No observer has such a name.
    private let name: String

    /// Makes the claim. Blocks.
    ///
    /// - Throws: `taken` when another process has the claim.
    init(
        _ consumer: DurableConsumer, _ subject: String, _ taken: DurableConsumer.Taken,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        self.transport = transport
        self.session = session
        let stream = DurableStream.kept.name(consumer.domain)
        name = "\(stream).\(consumer.name)%claim"
        subscription = try CallbackSubscription(subject, on: session) { _ in }
        let configuration: [String: Any] = [
            "durable_name": "\(consumer.name)%claim", "deliver_subject": subject,
            "description": "held while \(consumer.name) is taken over",
            // Nothing is published there.
            "filter_subject": transport.subjects.root + "%claim", "deliver_policy": "new",
            "ack_policy": "none", "replay_policy": "instant",
            // The server deletes the claim of a process that ends meanwhile.
            "inactive_threshold": Duration.seconds(1).wholeNanoseconds,
        ]
        do {
            try transport.jetStream.ask(
                "CONSUMER.DURABLE.CREATE.\(name)",
                ["stream_name": stream, "config": configuration], on: session)
        } catch let error as JetStreamRefusal where error.code == JetStreamRefusal.consumerExists {
            throw taken
        }
    }

    /// Gives up the claim. Blocks.
    func end() {
        // Otherwise the server deletes it in a second.
        _ = try? transport.jetStream.ask("CONSUMER.DELETE.\(name)", on: session)
        withExtendedLifetime(subscription) {}
    }
}
#endif
