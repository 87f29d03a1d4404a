// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

/// The latest values between processes: a newcomer asks for them, and the process that posted each
/// one answers.
///
/// A value is kept where it was posted, and where something observes it. Each has a
/// ``LatestStamp``, and of two values the center keeps the later one, under the registry's lock:
/// ``SharedLatestValue/isLater(than:)`` is the only judge. An end takes the place of what it ends,
/// so that nothing older comes back.
///
/// An observer that wants to hear the latest value has its center ask, once the other processes
/// know what it observes: so it hears later posts itself, and the answer can't be missed.
final class LatestExchange: Sendable {
    struct State: Sendable {
        var questions = LatestQuestions()
        var posts = LatestPosts()
        /// The names and objects whose ends the registry remembers.
        var ends = Remembered<DistributedInterest>()
        /// The processes that have gone: what still comes from them is not kept.
        var gone = Remembered<String>()
        /// The way to other processes; nil if there is none.
        var sender: CenterSender?
        /// Whether a clock that is ahead was reported.
        var hasReportedClock = false
    }

    let engine: NotificationEngine
    let interest: LocalInterest
    let clock = LatestClock()
    let state = Guarded(State())

    init(_ engine: NotificationEngine, _ interest: LocalInterest) {
        self.engine = engine
        self.interest = interest
    }

    /// Connects with other processes. From now on, they can ask.
    func connect(_ sender: CenterSender) {
        state.withLock { $0.sender = sender }
        interest.addOwn(DistributedInterest(name: CenterNames.questions, object: nil))
    }

    // MARK: - Values that are posted here

    /// Begins the post of a payload that is kept. The value before stays the latest one until the
    /// post was sent.
    func begin(
        _ payload: NamedPayload, _ name: String, _ object: String?, _ encoded: DistributedPayload
    ) throws -> KeptPost {
        try checkSize(encoded, name, object)
        let topic = ReceivedTopic(name: name, object: object)
        let (process, known) = (ownProcess, knownTime(of: topic))
        let stamp = state.withLock { state in
            // The stamps of posts grow in the order in which they begin.
            let stamp = LatestStamp(time: clock.next(after: known), process: process)
            state.posts.begin(stamp, topic.key)
            return stamp
        }
        return KeptPost(SharedLatestValue(payload, own: encoded, topic, stamp))
    }

    /// Makes a payload that was sent to other processes the latest, and answers those that have
    /// asked meanwhile.
    func wasSent(_ post: KeptPost) {
        let value = post.value
        let outcome = engine.retain(value, value.topic.topic, value.topic.subject)
        post.audience = outcome.isKept ? Audience(last: outcome.last, value: value) : .ordinary
        // Another process may answer with an earlier value until it hears this.
        if outcome.isKept, (outcome.other as? SharedLatestValue)?.ownPayload == nil {
            sayEnded(value)
        }
        end(post, wasSent: true)
    }

    /// Delivers a kept payload to the observers here.
    func deliver(
        _ payload: NamedPayload, _ topic: ReceivedTopic, to audience: Audience,
        for wait: PostWait? = nil
    ) -> PostReceipt {
        audience.value?.beginDelivery()
        let posting = Posting(topic.topic, about: topic.subject, for: wait)
        return engine.post(payload, posting, where: audience.admit) { [engine] observation in
            guard let value = audience.value, observation.replaysLatest else { return }
            engine.deliverLatest(topic.topic, topic.subject, to: observation, after: value)
        }
    }

    /// Ends a post that has failed.
    func hasFailed(_ post: KeptPost) { end(post, wasSent: false) }

    private func end(_ post: KeptPost, wasSent: Bool) {
        let value = post.value
        let askers = state.withLock {
            $0.posts.end(value.stamp, value.topic.key, wasSent: wasSent)
        }
        for asker in askers { answer(asker, value.topic) }
    }

    /// Ends the latest value of a name and object in all processes.
    ///
    /// - Returns: The value, as this process knew it.
    func remove(_ topic: Topic, _ subject: Subject) -> AnyRetainedValue? {
        // Notifications of other objects are never sent, nor kept.
        guard subject.isNone || subject.string != nil else { return nil }
        let topic = ReceivedTopic(name: topic.name, object: subject.string)
        while true {
            let time = clock.next(after: knownTime(of: topic))
            let stamp = LatestStamp(time: time, process: ownProcess)
            let end = SharedLatestValue(endOf: topic, stamp)
            let outcome = engine.retain(end, topic.topic, topic.subject)
            // A later value may have come in between: it is the one to be removed then.
            if !outcome.isKept { continue }
            remember(end)
            sayEnded(end)
            return outcome.other
        }
    }

    /// The time of the latest value of a topic; 0 if there is none.
    private func knownTime(of topic: ReceivedTopic) -> UInt64 {
        let value = engine.latestValue(of: topic.topic, about: topic.subject)
        return (value as? SharedLatestValue)?.stamp.time ?? 0
    }

    /// Remembers an end, and forgets the oldest if there are too many.
    func remember(_ end: SharedLatestValue) {
        guard let oldest = state.withLock({ $0.ends.add(end.topic.key) }) else { return }
        engine.removeLatest(.name(oldest.name ?? ""), Subject(optional: oldest.object)) {
            ($0 as? SharedLatestValue)?.hasEnded == true
        }
    }

    /// The id of this process, as the others see it.
    var ownProcess: String { state.withLock(\.sender)?.process ?? "" }

    /// Refuses a payload that fits into a notification, and not into an answer, which has its name
    /// and object as well.
    private func checkSize(_ payload: DistributedPayload, _ name: String, _ object: String?) throws
    {
        let size = payload.bytes.count + name.utf8.count + (object?.utf8.count ?? 0)
        let most = WireFormat.longestPayload - LatestFrame.longestKeys
        if size > most {
            throw DistributedPostError(
                .tooLong,
                "a payload that is kept takes \(size) bytes with its name and object, and at most \(most) can be "
                    + "sent to processes that come later: put it into a file, and post the path of that file"
            )
        }
    }
}

/// A post whose payload is kept for observers that come late.
///
/// The posting thread uses it.
final class KeptPost {
    let value: SharedLatestValue
    /// The observers here that hear the post; known once it was sent.
    var audience = Audience()

    init(_ value: SharedLatestValue) { self.value = value }
}
