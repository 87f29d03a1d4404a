// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Values from other processes.
extension LatestExchange {
    /// Keeps a payload that another process has posted to be kept.
    ///
    /// - Returns: The observers that hear the post.
    func keep(
        _ payload: NamedPayload, from message: ReceivedMessage, at time: UInt64
    ) -> KeptHearers {
        guard sees(time, from: message.sender) else { return KeptHearers() }
        let topic = message.topic
        let stamp = LatestStamp(time: time, process: message.sender.id)
        let outcome = engine.retain(
            SharedLatestValue(payload, topic, stamp), topic.topic, topic.subject,
            if: { interest.wants(topic.name, topic.object) })
        let hearers = KeptHearers(last: outcome.last)
        guard !outcome.isKept, let other = outcome.other as? SharedLatestValue, stamp <= other.stamp
        else { return hearers }
        repeatEnd(other)
        if case .ended = other.origin { return KeptHearers(last: outcome.last, isStale: true) }
        // Observers that have heard the later value pass over this one.
        return KeptHearers(last: 0, isStale: true)
    }

    /// Takes an answer: keeps the value if it is later than the one that is known, and gives it to the observers that
    /// hear the latest value first.
    ///
    /// - Parameter isHeld: whether earlier notifications of a name and object still wait to be delivered.
    func take(
        _ answer: LatestFrame.Answer, from message: ReceivedMessage,
        behind isHeld: (DistributedInterest) -> Bool
    ) {
        guard sees(answer.time, from: message.sender) else { return }
        let topic = ReceivedTopic(name: answer.name, object: answer.object)
        // The value must not overtake what waits: its question is asked again later.
        if isHeld(topic.key) { return state.withLock { $0.questions.miss() } }
        let payload = NamedPayload(
            ReceivedMessage(
                answer.payload, sender: message.sender, sequence: message.sequence, topic, engine))
        let stamp = LatestStamp(time: answer.time, process: message.sender.id)
        let outcome = engine.retain(
            SharedLatestValue(payload, topic, stamp), topic.topic, topic.subject,
            if: { interest.wants(topic.name, topic.object) })
        if outcome.isKept {
            engine.postLate(
                payload, Posting(topic.topic, about: topic.subject), keptAfter: outcome.last)
        } else if let other = outcome.other as? SharedLatestValue, stamp < other.stamp {
            repeatEnd(other)
        }
    }

    /// Takes note that the values of a name and object from before a time have ended.
    func take(_ end: LatestFrame.End, from message: ReceivedMessage) {
        guard sees(end.time, from: message.sender) else { return }
        let topic = ReceivedTopic(name: end.name, object: end.object)
        let stamp = LatestStamp(time: end.time, process: message.sender.id)
        let value = SharedLatestValue(endOf: topic, stamp)
        let outcome = engine.retain(value, topic.topic, topic.subject)
        if outcome.isKept {
            remember(value)
        } else if let other = outcome.other as? SharedLatestValue, stamp < other.stamp {
            repeatEnd(other)
        }
    }

    /// Tells the others once more that values before this one have ended, if it was posted here: one of them does not
    /// know.
    private func repeatEnd(_ value: SharedLatestValue) {
        if value.ownPayload != nil { sayEnded(value.topic, value.stamp) }
    }

    /// Forgets values whose later ones do not come here any more, because nothing here observes them.
    func forgetUnheard() {
        guard interest.takeHasEnded() else { return }
        let observed = interest.observed
        state.withLock { $0.questions.keep(observed) }
        // Asked under the registry's lock: an observer that registers now either finds the value and keeps it, or asks.
        forgetForeign { !self.interest.wants($0.topic.name, $0.topic.object) }
    }

    /// Forgets the values of a process that has gone: they have ended with it.
    func forgetValues(of process: String) { forgetForeign { $0.stamp.process == process } }

    private func forgetForeign(where isForgotten: (SharedLatestValue) -> Bool) {
        for value in engine.latestValues(of: .anyName, about: .none) {
            guard let value = value as? SharedLatestValue, value.isForeign, isForgotten(value)
            else { continue }
            engine.removeLatest(value.topic.topic, value.topic.subject) {
                $0 === value && isForgotten(value)
            }
        }
    }

    /// Takes note of another process's time.
    ///
    /// - Returns: False if its clock is too far ahead: nothing is kept then, because it would be the latest for too long.
    private func sees(_ time: UInt64, from sender: DistributedPeer) -> Bool {
        if clock.sees(time) { return true }
        let isFirst = state.withLock { state in
            defer { state.hasReportedClock = true }
            return !state.hasReportedClock
        }
        if isFirst {
            engine.report(
                DeliveryProblem(
                    .transport,
                    "the clock of \(sender) is more than an hour ahead of this process's: what it posts is "
                        + "delivered, but not kept for observers that come late; set the clocks right"
                ))
        }
        return false
    }
}
