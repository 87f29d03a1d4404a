// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// Taking over the name of a process that has ended without a word, while somebody hears everything.
//
// A client that subscribes to `>` hears the delivery subjects of dead processes, too, and the
// server changes none that is heard. But it knows whether a subscription to the very subject exists, and
// says so (`push_bound`). The consumer of a dead process is then made again, at the same place.
extension DurableObservation {
    /// The time for which a subject must not be subscribed to before its process counts as dead. A
    /// server says only a moment after a subscription that it has the subscription.
    private static let patience = Duration.seconds(1)
    private static let pause: UInt32 = 50_000

    /// Makes a consumer again that delivers to nobody, although the server takes its subject for
    /// heard. Blocks, for a second if another process had the name.
    ///
    /// - Parameters:
    ///   - found: the consumer.
    ///   - anew: the way in which the consumer has to be made again anyway; nil if it need not be.
    ///   - taken: the server's refusal to change the subject.
    ///   - subject: the subject of the new consumer.
    /// - Throws: The reason in `taken` when a process has the name, or is about to take it.
    func takeOver(
        _ stream: DurableStream, _ found: DurableConsumer.Status, isOwn: Bool,
        _ anew: DurableConsumer.Anew?, _ taken: DurableConsumer.Taken, _ subject: String,
        _ transport: NATSTransport, _ session: NATSSession
    ) throws -> DurableConsumer.Status {
        guard let before = found.deliverySubject, !found.isBound else { throw taken }
        /// Returns the consumer, if nobody has bound or moved it meanwhile.
        func look(mayBeBound: Bool) throws -> DurableConsumer.Status {
            guard let present = try consumer.find(stream, transport, session),
                present.deliverySubject == before, mayBeBound || !present.isBound
            else { throw taken }
            return present
        }
        let claim = try DurableClaim(
            consumer, deliveryPrefix + "claim", taken, transport, session)
        defer { claim.end() }
        // Nobody else subscribes to a subject of this observation.
        let end = ContinuousClock.now + (isOwn ? .zero : Self.patience)
        _ = try look(mayBeBound: false)
        while ContinuousClock.now < end {
            usleep(Self.pause)
            _ = try look(mayBeBound: false)
        }
        // From here on the server moves the consumer for nobody, even if the client that hears
        // everything goes.
        let hold = try CallbackSubscription(before, on: session) { _ in }
        defer { withExtendedLifetime(hold) {} }
        let present = try look(mayBeBound: true)
        let anew =
            anew
            ?? DurableConsumer.Anew(
                // Consumers of refused notifications begin with the first.
                behind: stream == .kept ? present.progress.floor : 0, inPlaceOf: present.id,
                isGap: false, id: present.id)
        state.withLock { $0.anew[stream] = anew }
        return try make(
            stream, anew: anew, exists: true, deliverySubject: subject, transport, session)
    }
}
#endif
