// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if NATS
internal import CNATS
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardDistributed
internal import Synchronization

// Receiving, on the connection's thread.
extension NATSTransport {
    /// Passes on news of other processes, and updates the subscriptions.
    func wasWoken() {
        deliverPeerNews()
        updateSubscriptions()
        endUnneededSubscriptions()
    }

    /// Takes the messages that were read.
    func didRead() {
        let (waiting, overlaps) = subscriptions.withLock { subscriptions in
            (subscriptions.all.filter { $0.waiting > 0 }, subscriptions.ending.overlaps)
        }
        let state = receiveState.acquire()
        defer { receiveState.release() }
        if !overlaps { state.pointee.forgetSeen() }
        state.pointee.overlaps = overlaps
        state.pointee.messages =
            waiting.count == 1 ? waiting[0].takeAll() : Self.inOrder(waiting)
    }

    /// Delivers the messages that were taken.
    func deliver() {
        let (messages, overlaps) = takeMessages()
        if let intake { for message in messages { deliver(message, overlaps, intake) } }
        // Destroyed together: libnats has a thread for that, which wakes up at the first.
        for message in messages { natsMsg_Destroy(message) }
    }

    /// Drops the messages that were taken.
    func discard() { for message in takeMessages().messages { natsMsg_Destroy(message) } }

    private func takeMessages() -> (messages: [OpaquePointer], overlaps: Bool) {
        let state = receiveState.acquire()
        defer {
            state.pointee.messages = []
            receiveState.release()
        }
        return (state.pointee.messages, state.pointee.overlaps)
    }

    /// Takes the messages that wait on several subscriptions, and returns them so that those of
    /// each process are in the order of posting. libnats keeps the order only within a
    /// subscription.
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

    private func deliver(_ message: OpaquePointer, _ overlaps: Bool, _ intake: DistributedIntake) {
        if hasStopped.load(ordering: .relaxed) { return }
        let event = IncomingEvent(message)
        let state = receiveState.acquire()
        let arrival = take(event, overlaps, &state.pointee, intake)
        receiveState.release()
        guard let arrival else { return }
        guard let number = event.number, let sender = arrival.sender else {
            return deliverForeign(event, arrival.topic, intake)
        }
        // The receiving state keeps the `Sender` and the topic alive, and only this thread changes
        // it.
        sender._withUnsafeGuaranteedRef { sender in
            if arrival.missed > 0 {
                intake.report(
                    DistributedLoss(
                        peer: sender.peer, direction: .incoming, count: arrival.missed))
            }
            if intake.isFollowed {
                intake.bringing(event.context) { receive(event, number, arrival.topic, sender) }
            } else {
                receive(event, number, arrival.topic, sender)
            }
        }
    }

    /// Delivers an event of a Switchyard process, and traces that if it is its turn.
    @inline(__always)
    private func receive(
        _ event: IncomingEvent, _ number: EventNumber, _ topic: Unmanaged<ReceivedTopic>,
        _ sender: Sender
    ) {
        guard TraceSampling.isOn, let intake else { return sender.receive(event, number, topic) }
        trace(event, number, topic, intake) { sender.receive(event, number, topic) }
    }

    /// Traces an event's delivery in this process, if it is its turn.
    @inline(never)
    private func trace(
        _ event: IncomingEvent, _ number: EventNumber, _ topic: Unmanaged<ReceivedTopic>,
        _ intake: DistributedIntake, _ deliver: () -> Void
    ) {
        intake.trace(
            topic,
            through: TracePassage(
                connection: TracePassage.connection(HexDigits.text16(number.process)), process: 0,
                sequence: number.number), isTraced: event.isTraced, deliver)
    }

    /// Delivers an event that no Switchyard process posted.
    private func deliverForeign(
        _ event: IncomingEvent, _ topic: Unmanaged<ReceivedTopic>, _ intake: DistributedIntake
    ) {
        topic._withUnsafeGuaranteedRef { topic in
            intake.receive(
                EventData.payload(event.kind, event.data), topic,
                from: PeerSource.peer(event.header(EventHeaders.source), id: nil), sequence: 0,
                isImmediate: event.isImmediate,
                context: intake.isFollowed ? event.context ?? [:] : [:], keptAt: event.keptAt)
        }
    }

    /// The topic of an event that has come, and the process that posted it.
    private struct Arrival {
        let topic: Unmanaged<ReceivedTopic>
        /// The Switchyard process that posted the event; nil for another program.
        var sender: Unmanaged<Sender>?
        /// The number of that process's events that are missing before this one.
        var missed: UInt64 = 0
    }

    /// - Returns: Nil for a duplicate, and for a message that is not a notification.
    private func take(
        _ event: IncomingEvent, _ overlaps: Bool, _ state: inout ReceiveState,
        _ intake: DistributedIntake
    ) -> Arrival? {
        guard let subject = event.subject, let topic = state.topic(subject, subjects) else {
            return nil
        }
        guard let number = event.number else {
            let hasCome = overlaps && event.identity.map { state.hasSeen($0) } == true
            return hasCome ? nil : Arrival(topic: topic)
        }
        let sender = state.senders.find(number.process) {
            let source = event.header(EventHeaders.source)
            let peer = PeerSource.peer(source, id: HexDigits.text16(number.process))
            return SenderIntake(peer, intake)
        }
        return sender._withUnsafeGuaranteedRef { $0.take(number, topic) }.map {
            Arrival(topic: topic, sender: sender, missed: $0)
        }
    }
}

extension Sender {
    /// Delivers an event of this process.
    @inline(__always)
    fileprivate func receive(
        _ event: IncomingEvent, _ number: EventNumber, _ topic: Unmanaged<ReceivedTopic>
    ) {
        if number.isKept { return receiveKept(event, number, topic) }
        intake.receive(
            event.data, number.kind.payloadKind, topic, sequence: number.number,
            isImmediate: number.isImmediate)
    }

    @inline(never)
    private func receiveKept(
        _ event: IncomingEvent, _ number: EventNumber, _ topic: Unmanaged<ReceivedTopic>
    ) {
        intake.receive(
            EventData.payload(number.kind, event.data), topic.takeUnretainedValue(),
            sequence: number.number, isImmediate: number.isImmediate, keptAt: event.keptAt)
    }
}
#endif
