// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

extension NATSTransport: NATSConnection.Delegate {
    func connectionWasWoken() {
        tellInterest()
        leaveConfirmed()
    }

    /// Delivers what was read.
    func connectionHasRead() {
        let (waiting, overlaps) = subscriptions.withLock { subscriptions in
            (subscriptions.all.filter { $0.waiting > 0 }, subscriptions.overlaps)
        }
        if waiting.isEmpty { return }
        if !overlaps { inbox.withLock { $0.seen.removeAll() } }
        let messages = waiting.count == 1 ? waiting[0].takeAll() : Self.inOrder(waiting)
        for message in messages { deliver(message, overlaps) }
        // Together: libnats has a thread for that, which is woken up for the first.
        for message in messages { natsMsg_Destroy(message) }
    }

    /// What waits on several subscriptions, so that each sender's come in the order in which it posted
    /// them. The library keeps the order of each subscription alone.
    private static func inOrder(_ waiting: [Subscription]) -> [OpaquePointer] {
        var bySender: [UInt64: [(number: UInt64, message: OpaquePointer)]] = [:]
        var others: [OpaquePointer] = []
        for subscription in waiting {
            for message in subscription.takeAll() {
                if let number = IncomingEvent(message).number {
                    bySender[number.process, default: []].append((number.number, message))
                } else {
                    others.append(message)
                }
            }
        }
        return others
            + bySender.values.flatMap { $0.sorted { $0.number < $1.number }.map(\.message) }
    }

    private func deliver(_ message: OpaquePointer, _ overlaps: Bool) {
        if hasStopped.load(ordering: .relaxed) { return }
        guard let intake else { return }
        let event = IncomingEvent(message)
        var loss: DistributedLoss?
        let origin = take(event, overlaps, &loss)
        if let loss { intake.report(loss) }
        guard let origin else { return }
        intake.receive(
            EventData.payload(event.kind, event.data), origin.topic, from: origin.sender,
            sequence: event.number?.number ?? 0, isImmediate: event.isImmediate)
    }

    /// What an event is about, and who sent it.
    private struct Origin {
        let topic: ReceivedTopic
        let sender: DistributedPeer
    }

    private func take(
        _ event: IncomingEvent, _ overlaps: Bool, _ loss: inout DistributedLoss?
    ) -> Origin? {
        let inbox = self.inbox.acquire()
        defer { self.inbox.release() }
        if overlaps, let identity = event.identity,
            !inbox.pointee.seen.insert(identity).inserted
        {
            return nil
        }
        return read(event, &inbox.pointee, &loss)
    }

    private func read(
        _ event: IncomingEvent, _ inbox: inout Inbox, _ loss: inout DistributedLoss?
    ) -> Origin? {
        guard let subject = event.subject, let topic = inbox.topic(subject, subjects) else {
            return nil
        }
        var sender: DistributedPeer
        if let number = event.number {
            let known = inbox.senders.take(number) {
                PeerSource.peer(
                    event.header(EventHeaders.source), id: EventNumber.hex(number.process))
            }
            guard let known else { return nil }
            sender = known.peer
            if known.missed > 0 {
                loss = DistributedLoss(peer: sender, direction: .incoming, count: known.missed)
            }
        } else {
            sender = PeerSource.peer(event.header(EventHeaders.source), id: nil)
        }
        return Origin(topic: topic, sender: sender)
    }

    // MARK: - The connection

    func connectionBroke() {
        if hasStopped.load(ordering: .acquiring) { return }
        intake?.report(
            problem:
                "the connection to NATS (\(options.servers.joined(separator: ", "))) broke: what "
                + "was under way may be lost; what is posted waits until there is another")
    }

    func connectionIsBack() {
        if hasStopped.load(ordering: .acquiring) { return }
        intake?.report(
            problem:
                "there is a connection to NATS again: what others posted meanwhile did not come, "
                + "and is counted when more comes from them")
        greetPeers()
    }

    func connectionHasTrouble(_ text: String) { intake?.report(problem: "NATS: \(text)") }
}
#endif
