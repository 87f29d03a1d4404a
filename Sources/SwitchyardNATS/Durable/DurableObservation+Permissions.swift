// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// Checking what the server lets a durable observer do.
extension DurableObservation {
    /// Checks whether the server lets this process subscribe to the subjects to which it delivers.
    /// If not, ends the subscriptions: another process may take the name. Blocks.
    ///
    /// A server refuses a subscription later, too, when the account has lost the permission. It
    /// does not say when the account has it again.
    func checkDelivery(_ transport: NATSTransport, _ session: NATSSession) throws {
        _ = session.flush(within: 2_000)
        transport.settleRefusals(session)
        let subjects = Set(state.withLock(\.deliverySubjects).values)
        if transport.refusedSubject(among: subjects) == nil { return }
        interrupt()
        throw NATSError(
            "the account may not subscribe to \(consumer.deliveryRoot)>, so that the durable observer "
                + "\"\(consumer.name)\" gets nothing: have its permissions allow _SWY.>. What is "
                + "posted meanwhile is kept, and comes when they do", code: .notAllowed)
    }

    func wasRefused(_ subject: RefusedSubject) {
        let isSubscribed = state.withLock { state in
            state.session != nil && state.deliverySubjects.values.contains { subject.covers($0) }
        }
        // An attempt to subscribe hears of its own refusal by itself.
        if isSubscribed { wake() }
    }

    /// Checks whether the server lets this process subscribe, acknowledge, and put aside refused
    /// notifications. Blocks.
    func checkPermissions(_ transport: NATSTransport, _ session: NATSSession) throws {
        guard let handle = session.handle else { return }
        defer { withExtendedLifetime(session) {} }
        for subject in consumer.refusedSubjects {
            try consumer.tryPublishing(to: subject, transport, session)
        }
        let acks = DurableStream.allCases.map { consumer.ackSubject($0) }
        for subject in acks { natsConnection_PublishString(handle, subject, "+WPI") }
        _ = session.flush(within: 2_000)
        transport.settleRefusals(session)
        let subjects = Set(state.withLock { $0.deliverySubjects.values } + acks)
        guard let refused = transport.refusedSubject(among: subjects) else { return }
        throw NATSError(
            "the account may not use \(refused), which durable observers need: have its permissions "
                + "allow to publish to $JS.API.> and $JS.ACK.>, and to subscribe to _SWY.>")
    }
}
#endif
