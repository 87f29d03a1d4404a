// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation

// Checking what the account may do for a durable observer.
extension DurableConsumer {
    /// The subjects for copies of refused notifications.
    var refusedSubjects: [String] {
        [DurableStream.waiting(domain, name), DurableStream.givenUp(domain, name)]
    }

    /// Checks whether this process may publish to a stream's subject. Publishes a message that the
    /// stream does not keep. Blocks.
    func tryPublishing(
        to subject: String, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        let answer = try transport.jetStream.answer(to: subject, on: session) { handle, reply in
            let expected = [(name: "Nats-Expected-Stream", value: "none")]
            return RefusedHeaders.publish(
                UnsafeRawBufferPointer(start: nil, count: 0), to: subject, reply: reply,
                expected,
                handle)
        }
        do {
            _ = try JetStreamRefusal.check(answer)
        } catch let error as JetStreamRefusal where error.code == JetStreamRefusal.otherStream {
            return
        }
    }

    /// Returns a subject of acknowledgements, for a test of whether this process may publish there.
    func ackSubject(_ stream: DurableStream) -> String {
        "$JS.ACK.\(stream.name(domain)).\(name).1.0.0.0.0"
    }
}
#endif
