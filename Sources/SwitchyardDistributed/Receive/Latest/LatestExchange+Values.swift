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
    ) -> Audience {
        guard let outcome = keep(payload, message.topic, from: message.sender, at: time) else {
            return Audience()
        }
        // If it is not kept because nothing here observed it yet, later observers ask for it.
        return outcome.isOlder
            ? .ordinary
            : Audience(last: outcome.last, value: outcome.isKnown ? outcome.value : nil)
    }

    /// Takes an answer: keeps the value if it is later than the one that is known, and gives it to
    /// the observers that hear the latest value first.
    ///
    /// - Parameter isDelayed: whether observers must not hear a name and object now.
    func take(
        _ answer: LatestFrame.Answer, from message: ReceivedMessage,
        unless isDelayed: (ReceivedTopic) -> Bool
    ) {
        let topic = ReceivedTopic(name: answer.name, object: answer.object)
        if isDelayed(topic) {
            state.withLock { $0.questions.miss() }
            // Otherwise the deliveries that were waited for end later, and ask again.
            if !isDelayed(topic) { wereDelivered() }
            return
        }
        let payload = NamedPayload(
            ReceivedMessage(
                answer.payload, sender: message.sender, sequence: message.sequence, topic, engine))
        guard let outcome = keep(payload, topic, from: message.sender, at: answer.time),
            outcome.isKnown, !outcome.value.hasEnded
        else { return }
        engine.deliverEarlierValue(
            outcome.value, topic.topic, topic.subject, keptAfter: outcome.last)
    }

    /// The outcome for a value of another process.
    private struct Outcome {
        /// The value, or its end if its process has gone.
        let value: SharedLatestValue
        /// Whether the value, or its end, is the latest that is known.
        let isKnown: Bool
        /// Whether what was known is as late, or later.
        let isOlder: Bool
        let last: UInt64

        init(_ value: SharedLatestValue, _ outcome: RetainOutcome) {
            self.value = value
            isKnown = outcome.isKept
            isOlder =
                (outcome.other as? SharedLatestValue).map { !value.isLater(than: $0) } ?? false
            last = outcome.last
        }
    }

    /// Keeps a value of another process if something observes it.
    ///
    /// - Returns: Nil if its time can't be.
    private func keep(
        _ payload: NamedPayload, _ topic: ReceivedTopic, from sender: DistributedPeer,
        at time: UInt64
    ) -> Outcome? {
        guard accepts(time, from: sender) else { return nil }
        let stamp = LatestStamp(time: time, process: sender.id)
        let value = SharedLatestValue(payload, topic, stamp)
        let outcome = engine.retain(value, topic.topic, topic.subject) { _ in
            // If the process ends right after this check, `hasGone(_:)` finds the value and removes
            // it.
            interest.wants(topic.name, topic.object) && !hasGone(sender)
        }
        if let other = outcome.other as? SharedLatestValue, other.stamp > stamp {
            repeatEnd(other)
        }
        let kept = Outcome(value, outcome)
        if kept.isKnown || kept.isOlder || !hasGone(sender) { return kept }
        return keepEnd(of: topic, stamp)
    }

    /// Keeps the end of a value that is heard and has ended with its process.
    private func keepEnd(of topic: ReceivedTopic, _ stamp: LatestStamp) -> Outcome {
        let end = SharedLatestValue(endOf: topic, stamp)
        let outcome = engine.retain(end, topic.topic, topic.subject) { _ in
            interest.wants(topic.name, topic.object)
        }
        if outcome.isKept { remember(end) }
        return Outcome(end, outcome)
    }

    /// Tells the others once more that values before this one have ended, for one that does not
    /// know.
    ///
    /// Only for a value of this process, or of one that has ended. A process that lives says so
    /// itself, behind its own posts; a notification from here could overtake those.
    private func repeatEnd(_ value: SharedLatestValue) {
        let process = value.stamp.process
        if process == ownProcess || state.withLock({ $0.gone.contains(process) }) {
            sayEnded(value)
        }
    }

    private func hasGone(_ peer: DistributedPeer) -> Bool {
        state.withLock { $0.gone.contains(peer.id) }
    }

    /// Takes note that the values of a name and object from before a time have ended.
    func take(_ end: LatestFrame.End, from message: ReceivedMessage) {
        guard accepts(end.time, from: message.sender) else { return }
        let topic = ReceivedTopic(name: end.name, object: end.object)
        let value = SharedLatestValue(
            endOf: topic,
            LatestStamp(time: end.time, process: end.process ?? message.sender.id))
        let outcome = engine.retain(value, topic.topic, topic.subject) { other in
            // Elsewhere no earlier value can come back: later posts have later stamps.
            other != nil || interest.wants(topic.name, topic.object)
                || state.withLock { $0.posts.contains(topic.key) }
        }
        if outcome.isKept {
            remember(value)
        } else if let other = outcome.other as? SharedLatestValue, other.stamp > value.stamp,
            other.stamp.process == ownProcess
        {
            sayEnded(other)
        }
    }

    /// Tells the others once more which values have ended by this process.
    ///
    /// - Returns: Whether this process has a value.
    func repeatEnds() -> Bool {
        var hasValue = false
        let process = ownProcess
        for value in values where value.stamp.process == process {
            hasValue = hasValue || !value.hasEnded
            sayEnded(value)
        }
        return hasValue
    }

    /// Forgets values whose later ones do not come here any more, because nothing here observes
    /// them.
    func forgetUnheard() {
        guard interest.takeHasEnded() else { return }
        // Asked under the registry's lock: an observer that registers now either finds the value
        // and keeps it, or asks.
        forgetForeign { !self.interest.wants($0.topic.name, $0.topic.object) }
    }

    /// Ends the values of a process that has gone.
    func hasGone(_ process: String) {
        // The last of what it sent may come after this.
        state.withLock { _ = $0.gone.add(process) }
        for value in forgetForeign(where: { $0.stamp.process == process }) {
            // Observers have heard it: an earlier one must not come back.
            _ = keepEnd(of: value.topic, value.stamp)
        }
    }

    /// Takes note that a process is there.
    func hasCome(_ process: String) { state.withLock { $0.gone.remove(process) } }

    /// Forgets values of other processes.
    ///
    /// - Returns: These values.
    @discardableResult
    private func forgetForeign(
        where isForgotten: (SharedLatestValue) -> Bool
    ) -> [SharedLatestValue] {
        values.filter { value in
            guard value.isForeign, isForgotten(value) else { return false }
            return engine.removeLatest(value.topic.topic, value.topic.subject) {
                $0 === value && isForgotten(value)
            }
        }
    }

    /// All that this process knows, ends included.
    private var values: [SharedLatestValue] {
        engine.latestValues(of: .anyName, about: .none).compactMap { $0 as? SharedLatestValue }
    }

    /// Takes note of another process's time.
    ///
    /// - Returns: False if its clock is too far ahead: nothing is kept then, because it would be
    ///   the latest for too long.
    private func accepts(_ time: UInt64, from sender: DistributedPeer) -> Bool {
        if clock.accept(time) { return true }
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
