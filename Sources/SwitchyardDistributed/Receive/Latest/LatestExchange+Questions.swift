// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import Switchyard
@_spi(Engine) internal import SwitchyardCore

// Questions and answers.
extension LatestExchange {
    /// Asks the other processes for the latest values of a topic and subject, once they know that
    /// they are observed.
    func ask(for topic: Topic, _ subject: Subject) {
        let isForManyNames = topic.isAnyName || topic.isPattern
        guard topic.isName || isForManyNames, subject.isNone || subject.string != nil else {
            return
        }
        let question = DistributedInterest(
            name: isForManyNames ? nil : topic.name, object: subject.string)
        ask { $0.ask([question]) }
    }

    /// Asks again, and has the others ask again, once a connection that was broken is back:
    /// questions, answers, ends and later values may have been lost.
    func connectionIsBack() {
        if repeatEnds() { send(LatestFrame.again) }
        ask { $0.askAgain() }
    }

    /// Asks again for answers that were passed over while observers must not hear them.
    func wereDelivered() { ask { $0.askForMissed() } }

    /// Changes the questions by `change`, and asks what is due if it returns true.
    private func ask(_ change: (inout LatestQuestions) -> Bool) {
        let (mustAsk, sender) = state.withLock { state in
            guard let sender = state.sender else { return (false, CenterSender?.none) }
            return (change(&state.questions), sender)
        }
        guard mustAsk, let sender else { return }
        Task.detached { [weak self] in
            // Taken before the others are told, so that each question is asked behind its interest.
            while let questions = self?.takeDue() {
                let unready = await sender.unready(within: .seconds(1))
                self?.send(questions)
                if !unready.isEmpty { self?.doubt(questions, of: unready, sender) }
            }
        }
    }

    private func takeDue() -> Set<DistributedInterest>? {
        // Under the lock: what is observed before its question is added stays.
        state.withLock { $0.questions.takeDue(of: interest.observed) }
    }

    /// Asks again whenever some process has become ready, and once all are: one that was not may
    /// not have heard the questions, or not know where answers and later values go.
    ///
    /// - Parameter processes: the processes that were not ready.
    private func doubt(
        _ questions: Set<DistributedInterest>, of processes: Set<String>, _ sender: CenterSender
    ) {
        // Without a connection, all is asked again when it is back.
        guard sender.isConnected, state.withLock({ $0.questions.doubt(questions) }) else { return }
        Task.detached { [weak self] in
            let end = ContinuousClock.now + .seconds(600)
            var (unready, pause) = (processes, Duration.seconds(1))
            while self != nil, sender.isConnected, ContinuousClock.now < end {
                // A transport that can't tell answers at once.
                let next = ContinuousClock.now + pause
                let left = await sender.unready(within: .seconds(2))
                if left.isEmpty { break }
                if !unready.isSubset(of: left) { self?.askDoubtful() }
                pause = unready == left ? min(pause * 2, .seconds(10)) : .seconds(1)
                unready = left
                try? await Task.sleep(until: next)
            }
            self?.repeatDoubtful()
        }
    }

    private func askDoubtful() { send(state.withLock { $0.questions.openDoubtful }) }

    private func repeatDoubtful() { send(state.withLock { $0.questions.takeDoubtful() }) }

    private func send(_ questions: Set<DistributedInterest>) {
        for question in questions { send(LatestFrame.Question(by: ownProcess, question).info) }
    }

    /// Takes a notification of another center about latest values; passes over others.
    ///
    /// - Parameter isDelayed: whether observers must not hear a name and object now.
    func take(
        _ info: [AnyHashable: Any], from message: ReceivedMessage,
        unless isDelayed: (ReceivedTopic) -> Bool
    ) {
        guard state.withLock({ $0.sender != nil }) else { return }
        if message.topic.name == CenterNames.answers {
            if let answer = LatestFrame.Answer(info) {
                take(answer, from: message, unless: isDelayed)
            }
        } else if let question = LatestFrame.Question(info) {
            take(question)
        } else if let end = LatestFrame.End(info) {
            take(end, from: message)
        } else if LatestFrame.isAgain(info) {
            ask { $0.askAgain() }
        }
    }

    private func take(_ question: LatestFrame.Question) {
        let interest = question.interest
        // Posts first: one that was sent meanwhile is found among the values then.
        let posted = state.withLock { $0.posts.add(question.asker, for: interest) }
        let values = engine.latestValues(
            of: interest.name.map { Topic.name($0) } ?? .anyName,
            about: Subject(optional: interest.object))
        for case let value as SharedLatestValue in values where value.ownPayload != nil {
            let key = value.topic.key
            if interest.asksFor(key), !posted.contains(key) {
                answer(question.asker, value.topic)
            }
        }
    }

    /// Sends the latest value of a topic, if it was posted here.
    func answer(_ asker: String, _ topic: ReceivedTopic) {
        let value = engine.latestValue(of: topic.topic, about: topic.subject) as? SharedLatestValue
        guard let value, let answer = LatestFrame.Answer(value) else { return }
        send(CenterNames.answers, asker, answer.info) {
            "the latest value of \(topic.key) can't be given to a process that came late: \($0)"
        }
    }

    /// Tells the others that the values before this one, or before this end, have ended.
    func sayEnded(_ value: SharedLatestValue) {
        send(LatestFrame.End(value, by: ownProcess).info)
    }

    private func send(_ info: [AnyHashable: Any]) {
        send(CenterNames.questions, nil, info) { "the latest values can't be exchanged: \($0)" }
    }

    private func send(
        _ name: String, _ object: String?, _ info: [AnyHashable: Any],
        orReport problem: (any Error) -> String
    ) {
        guard let sender = state.withLock(\.sender) else { return }
        do {
            try sender.send(name, object, DistributedPayload(userInfo: info))
        } catch let error as DistributedPostError where error.code == .notConnected {
            // The center is ending, or asks again once there is a connection.
        } catch {
            engine.report(DeliveryProblem(.transport, problem(error), error: error))
        }
    }
}
