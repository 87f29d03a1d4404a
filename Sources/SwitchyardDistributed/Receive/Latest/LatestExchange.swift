// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore
internal import Synchronization

/// The latest values between processes: a newcomer asks for them, and the process that posted each one answers.
///
/// A value is kept where it was posted, and where something observed it when it was posted. An observer that wants to
/// hear the latest value has its center ask, once the other processes know what it observes: so it hears a later post
/// itself, and the answer can't be missed. A process that posts a value of a name and object for the first time tells the
/// others, so that one process at most answers.
final class LatestExchange: Sendable {
    private struct State: Sendable {
        /// The questions that have not been asked.
        var questions: Set<DistributedInterest> = []
        /// The questions that were asked, or will be; asked again when a connection is back.
        var asked: Set<DistributedInterest> = []
        /// Whether a task is about to ask.
        var isAsking = false
        /// Whether this process hears questions.
        var hearsQuestions = false
        /// Whether this process hears answers.
        var hearsAnswers = false
    }

    let engine: NotificationEngine
    private let interest: LocalInterest
    /// This process, for answers.
    private let id = UUID().uuidString
    private let clock = LatestClock()
    private let state = Guarded(State())
    private let sender = Guarded<LatestSender?>(nil)

    init(_ engine: NotificationEngine, _ interest: LocalInterest) {
        self.engine = engine
        self.interest = interest
    }

    func connect(_ sender: LatestSender) { _ = self.sender.exchange(sender) }

    // MARK: - Values that are posted here

    /// Keeps a payload that is about to be posted.
    ///
    func keep(
        _ payload: NamedPayload, _ name: String, _ object: String?, _ own: DistributedPayload
    ) -> KeptPost {
        hearQuestions()
        let value = SharedLatestValue(payload, name, object, at: clock.next(), own: own)
        let before = engine.latestValue(of: value.topic, about: value.subject)
        let last = engine.retain(value, value.topic, value.subject) ?? .max
        let isOwn = (before as? SharedLatestValue)?.ownPayload != nil
        if !isOwn { send(LatestFrame.End(name, object, at: value.time).info) }
        return KeptPost(value: value, last: last)
    }

    /// Takes note that a payload was posted to other processes: answers those that have asked meanwhile.
    func wasSent(_ post: KeptPost) {
        for asker in post.value.wasSent() { answer(asker, with: post.value) }
    }

    /// Takes out a value whose post has failed.
    func withdraw(_ value: SharedLatestValue) {
        engine.removeLatest(value.topic, value.subject) { $0 === value }
    }

    /// Takes note that the user has taken out the latest value of a name and object.
    func wasRemoved(_ topic: Topic, _ subject: Subject) {
        guard topic.isName, subject.isNone || subject.string != nil else { return }
        send(LatestFrame.End(topic.name, subject.string, at: clock.next()).info)
    }

    // MARK: - Values from other processes

    /// Keeps a payload that another process has posted to be kept.
    ///
    /// - Returns: The number of the last registration before that; nil if it is not kept: a later one is, or nothing
    ///   here hears what follows.
    func keep(_ payload: NamedPayload, _ topic: ReceivedTopic, postedAt time: UInt64) -> UInt64? {
        let time = clock.saw(time)
        guard interest.covers(topic.name, topic.object) else { return nil }
        hearQuestions()
        return engine.retain(
            SharedLatestValue(payload, topic.name, topic.object, at: time), topic.topic,
            topic.subject)
    }

    /// Forgets values whose later ones do not come here any more, because nothing here observes them.
    func forgetUnheard() {
        guard interest.takeHasEnded() else { return }
        let observed = interest.observed
        state.withLock { $0.asked.formIntersection(observed) }
        for value in engine.latestValues(of: .anyName, about: .none) {
            guard let value = value as? SharedLatestValue, value.ownPayload == nil,
                !interest.covers(value.name, value.object)
            else { continue }
            withdraw(value)
        }
    }

    // MARK: - Questions

    /// Asks the other processes for the latest values of a topic and subject, once they know that they are observed.
    func ask(for topic: Topic, _ subject: Subject) {
        let isForManyNames = topic.isAnyName || topic.isPattern
        guard topic.isName || isForManyNames, subject.isNone || subject.string != nil else {
            return
        }
        hearAnswers()
        let question = DistributedInterest(
            name: isForManyNames ? nil : topic.name, object: subject.string)
        ask([question])
    }

    /// Asks again, and has the others ask again, once a connection that was broken is back: questions, answers and
    /// later values may have been lost.
    func askAgain() {
        let (asked, hearsQuestions) = state.withLock { ($0.asked, $0.hearsQuestions) }
        if hearsQuestions { send(LatestFrame.again) }
        ask(asked)
    }

    private func ask(_ questions: Set<DistributedInterest>) {
        let isFirst = state.withLock { state in
            state.questions.formUnion(questions)
            state.asked.formUnion(questions)
            defer { state.isAsking = !state.questions.isEmpty }
            return !state.isAsking && !state.questions.isEmpty
        }
        if isFirst { Task.detached { [weak self] in await self?.askAll() } }
    }

    private func askAll() async {
        while let questions = takeQuestions() {
            await sender.withLock { $0 }?.ready()
            for question in questions { send(LatestFrame.Question(by: id, question).info) }
        }
    }

    private func takeQuestions() -> Set<DistributedInterest>? {
        state.withLock { state in
            defer { state.questions = [] }
            state.isAsking = !state.questions.isEmpty
            return state.isAsking ? state.questions : nil
        }
    }

    private func hearQuestions() {
        let isFirst = state.withLock { state in
            defer { state.hearsQuestions = true }
            return !state.hearsQuestions
        }
        if isFirst {
            interest.interestChanged(.name(LatestFrame.questions), .none, isObserved: true)
        }
    }

    private func hearAnswers() {
        let isFirst = state.withLock { state in
            defer { state.hearsAnswers = true }
            return !state.hearsAnswers
        }
        if isFirst {
            interest.interestChanged(.name(LatestFrame.answers), Subject(id), isObserved: true)
        }
    }

    private func send(_ info: [AnyHashable: Any]) { send(LatestFrame.questions, nil, info) }

    private func send(_ name: String, _ object: String?, _ info: [AnyHashable: Any]) {
        do {
            try sender.withLock { $0 }?.send(name, object, DistributedPayload(userInfo: info))
        } catch let error as DistributedPostError where error.code == .notConnected {
            // The center is ending, or asks again once there is a connection.
        } catch {
            engine.report(
                DeliveryProblem(
                    .transport, "the latest values can't be exchanged: \(error)", error: error))
        }
    }

    // MARK: - What other processes say

    /// Takes a notification that is for this alone.
    func take(_ message: ReceivedMessage) {
        // Bytes that make no sense are passed over: they are no reason to end a connection.
        guard let info = try? message.userInfo else { return }
        if message.topic.name == LatestFrame.answers {
            if let answer = LatestFrame.Answer(info) { take(answer, from: message) }
        } else if let question = LatestFrame.Question(info) {
            take(question)
        } else if let end = LatestFrame.End(info) {
            take(end)
        } else if LatestFrame.isAgain(info) {
            ask(state.withLock(\.asked))
        }
    }

    private func take(_ question: LatestFrame.Question) {
        let topic = question.interest.name.map { Topic.name($0) } ?? .anyName
        let subject = Subject(optional: question.interest.object)
        for value in engine.latestValues(of: topic, about: subject) {
            guard let value = value as? SharedLatestValue, value.ownPayload != nil,
                question.interest.object == nil || question.interest.object == value.object,
                value.isReady(for: question.asker)
            else { continue }
            answer(question.asker, with: value)
        }
    }

    private func answer(_ asker: String, with value: SharedLatestValue) {
        guard let answer = LatestFrame.Answer(value) else { return }
        send(LatestFrame.answers, asker, answer.info)
    }

    private func take(_ answer: LatestFrame.Answer, from message: ReceivedMessage) {
        let time = clock.saw(answer.time)
        guard interest.covers(answer.name, answer.object) else { return }
        hearQuestions()
        let topic = ReceivedTopic(name: answer.name, object: answer.object)
        let payload = NamedPayload(
            ReceivedMessage(
                answer.payload, sender: message.sender, sequence: message.sequence, topic, engine))
        engine.postLate(
            SharedLatestValue(payload, answer.name, answer.object, at: time),
            Posting(topic.topic, about: topic.subject))
    }

    private func take(_ end: LatestFrame.End) {
        let time = clock.saw(end.time)
        engine.removeLatest(.name(end.name), Subject(optional: end.object)) { value in
            (value as? SharedLatestValue).map { $0.time < time } == true
        }
    }
}

/// A post whose payload is kept for observers that come late.
struct KeptPost {
    let value: SharedLatestValue
    /// The number of the last registration before it was kept.
    let last: UInt64
}
