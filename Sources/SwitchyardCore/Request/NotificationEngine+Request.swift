// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Requests: a post that carries a gathering of answers, and waits until there are enough.
extension NotificationEngine {
    /// Asks, and blocks the thread until there is a result.
    func request<Request: RequestMessage, Result>(
        _ request: Request, _ subject: Request.Subject?,
        _ answers: Answers<Request.Reply, Result>, within limit: Duration
    ) throws(RequestError) -> Result {
        let asked = AskedRequest(request, answers)
        var asking = Asking()
        defer { asking.whenOver?() }
        let receipt: PostReceipt
        do {
            receipt = try PostWait.run(.handled, timeout: limit, endsInTime: answers.endsInTime) {
                ask(asked, subject, $0, &asking)
            }
        } catch {
            return try asked.result(answers, asking, endedBy: error)
        }
        return try asked.result(answers, asking, receipt)
    }

    /// Asks, and suspends the task until there is a result.
    nonisolated(nonsending) func request<Request: RequestMessage, Result>(
        _ request: Request, _ subject: Request.Subject?,
        _ answers: Answers<Request.Reply, Result>, within limit: Duration
    ) async throws(RequestError) -> Result {
        let asked = AskedRequest(request, answers)
        var asking = Asking()
        defer { asking.whenOver?() }
        let receipt: PostReceipt
        do {
            receipt = try await PostWait.run(
                .handled, timeout: limit, endsInTime: answers.endsInTime
            ) {
                ask(asked, subject, $0, &asking)
            }
        } catch {
            return try asked.result(answers, asking, endedBy: error)
        }
        return try asked.result(answers, asking, receipt)
    }

    /// A request under way.
    fileprivate struct Asking {
        /// The wait for those who answer.
        var wait: PostWait?
        /// Ends the request in other processes.
        var whenOver: (@Sendable () -> Void)?
        /// The error if the request could not be sent to other processes.
        var error: (any Error)?
    }

    /// Asks those who answer here, and other processes. If one answer is enough, those who answer
    /// at once, here, are asked first.
    private func ask<Request: RequestMessage>(
        _ asked: AskedRequest<Request>, _ subject: Request.Subject?, _ wait: PostWait,
        _ asking: inout Asking
    ) -> PostReceipt {
        asking.wait = wait
        asked.gathering.whenOver { wait.end() }
        guard let requestCarrier else { return post(asked, subject, wait) }
        let isAnswered = answers(Request.self, about: subject)
        guard isAnswered, isFollowed, let follower, follower.followsRequestsAsOne else {
            return ask(asked, subject, wait, by: requestCarrier, isAnswered: isAnswered, &asking)
        }
        var receipt = PostReceipt()
        // The error is in `asking`, too.
        try? follower.sending(.type(AskedRequest<Request>.self)) { _ in
            receipt = ask(
                asked, subject, wait, by: requestCarrier, isAnswered: isAnswered, &asking)
            if let error = asking.error { throw error }
        }
        return receipt
    }

    /// Asks those who answer here, and other processes.
    ///
    /// - Parameter isAnswered: whether somebody answers here.
    private func ask<Request: RequestMessage>(
        _ asked: AskedRequest<Request>, _ subject: Request.Subject?, _ wait: PostWait,
        by requestCarrier: any RequestCarrier, isAnswered: Bool, _ asking: inout Asking
    ) -> PostReceipt {
        let isFirst = isAnswered && asked.gathering.wanted != .all
        let receipt = isFirst ? post(asked, subject, wait) : PostReceipt()
        if asked.gathering.isOver { return receipt }
        do {
            asking.whenOver = try requestCarrier.carry(
                OutgoingRequest(asked, Subject(optional: subject), wait))
        } catch {
            asking.error = error
            asked.gathering.end()
            return receipt
        }
        // A request that others answer is no dead letter.
        if isFirst || !isAnswered && asking.whenOver != nil { return receipt }
        return post(asked, subject, wait)
    }

    func post<Request: RequestMessage>(
        _ asked: AskedRequest<Request>, _ subject: Request.Subject?, _ wait: PostWait
    ) -> PostReceipt {
        guard let subject else { return post(asked, for: wait) }
        return post(asked, about: subject, as: Subject(subject), for: wait)
    }
}

extension AskedRequest {
    fileprivate init<Result>(_ request: Request, _ answers: Answers<Request.Reply, Result>) {
        self.request = request
        gathering = Gathering(answers.wanted, answers.isWanted)
    }

    /// The result of a request whose wait is over.
    fileprivate func result<Result>(
        _ answers: Answers<Request.Reply, Result>, _ asking: NotificationEngine.Asking,
        _ receipt: PostReceipt
    ) throws(RequestError) -> Result {
        gathering.end()
        if let error = asking.error { throw .notSent(Request.self, error) }
        let (given, error) = (gathering.answers, gathering.error)
        if let error, answers.wanted == .all || given.isEmpty {
            throw .failed(Request.self, answers: given.count, error)
        }
        let needsOthers = answers.wanted == .all || given.isEmpty
        if needsOthers, asking.wait?.lostDeliveries(receipt) ?? 0 > 0 {
            throw .notAsked(Request.self, answers: given.count, receipt)
        }
        if let result = answers.result(given) { return result }
        throw .noAnswer(Request.self)
    }

    /// The result of a request whose wait did not come to its end: one answer that came at the last
    /// moment.
    fileprivate func result<Result>(
        _ answers: Answers<Request.Reply, Result>, _ asking: NotificationEngine.Asking,
        endedBy error: PostWaitError
    ) throws(RequestError) -> Result {
        gathering.end()
        if let error = asking.error { throw .notSent(Request.self, error) }
        let given = gathering.answers
        // `.inTime` forgives those who are slow, not those who have ended, or were not asked.
        let isForgiven = error.code == .timedOut && error.receipt.undeliverable == 0
        let isForAllInTime = answers.wanted == .all && answers.endsInTime && isForgiven
        if isForAllInTime, asking.wait?.deliveriesLostEarlier(error.receipt) ?? 0 > 0 {
            throw .notAsked(Request.self, answers: given.count, error.receipt)
        }
        let isEnough = answers.wanted != .all || isForAllInTime
        if isEnough, let result = answers.result(given) { return result }
        throw .waited(Request.self, answers: given.count, error)
    }
}
