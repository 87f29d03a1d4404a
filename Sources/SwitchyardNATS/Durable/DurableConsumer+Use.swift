// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation

// Looking whether a process observes under a name.
extension DurableConsumer {
    /// The time that a server may need to learn that an observer has ended.
    private static let patience = Duration.seconds(1)

    /// Checks that no process observes under a name. Blocks.
    ///
    /// - Throws: An error when a process does.
    static func checkUnused(
        _ name: String, _ domain: String, _ transport: NATSTransport, _ session: NATSSession
    ) throws {
        let end = ContinuousClock.now + patience
        while try isUsed(name, domain, transport, session) {
            if ContinuousClock.now >= end {
                throw NATSError(
                    "a process observes durably as \"\(name)\", and notifications that are kept for an "
                        + "observer can't be deleted while it runs: end it first")
            }
            usleep(20_000)
        }
    }

    private static func isUsed(
        _ name: String, _ domain: String, _ transport: NATSTransport, _ session: NATSSession
    ) throws -> Bool {
        do {
            let answer = try transport.jetStream.ask(
                "CONSUMER.INFO.\(DurableStream.kept.name(domain)).\(name)", on: session)
            return answer["push_bound"] as? Bool == true
        } catch let error as JetStreamRefusal
            where [JetStreamRefusal.noConsumer, JetStreamRefusal.noStream].contains(error.code)
        {
            return false
        }
    }
}
#endif
