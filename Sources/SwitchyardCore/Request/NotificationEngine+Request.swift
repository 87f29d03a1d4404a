// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Requests: a post that carries a place for answers, and waits until there are enough.
extension NotificationEngine {
    /// Asks, and blocks the thread until there is a result.
    func request<Request: RequestMessage, Result>(
        _ request: Request, _ subject: Request.Subject?,
        _ answers: Answers<Request.Reply, Result>, within limit: Duration
    ) throws(RequestError) -> Result {
        let asked = AskedRequest(request, answers)
        let receipt: PostReceipt
        do {
            receipt = try PostWait.run(.handled, timeout: limit) { post(asked, subject, $0) }
        } catch {
            return try asked.result(answers, endedBy: error)
        }
        return try asked.result(answers, receipt)
    }

    /// Asks, and suspends the task until there is a result.
    nonisolated(nonsending) func request<Request: RequestMessage, Result>(
        _ request: Request, _ subject: Request.Subject?,
        _ answers: Answers<Request.Reply, Result>, within limit: Duration
    ) async throws(RequestError) -> Result {
        let asked = AskedRequest(request, answers)
        let receipt: PostReceipt
        do {
            receipt = try await PostWait.run(.handled, timeout: limit) { post(asked, subject, $0) }
        } catch {
            return try asked.result(answers, endedBy: error)
        }
        return try asked.result(answers, receipt)
    }

    private func post<Request: RequestMessage>(
        _ asked: AskedRequest<Request>, _ subject: Request.Subject?, _ wait: PostWait
    ) -> PostReceipt {
        asked.gathering.whenOver { wait.end() }
        guard let subject else { return post(asked, for: wait) }
        return post(asked, about: subject, as: Subject(subject), for: wait)
    }
}

extension AskedRequest {
    fileprivate init<Result>(_ request: Request, _ answers: Answers<Request.Reply, Result>) {
        self.request = request
        gathering = Gathering(needsAll: answers.needsAll, answers.isWanted)
    }

    /// The result of a request whose wait is over.
    fileprivate func result<Result>(
        _ answers: Answers<Request.Reply, Result>, _ receipt: PostReceipt
    ) throws(RequestError) -> Result {
        gathering.end()
        let (given, error) = (gathering.answers, gathering.error)
        if let error, answers.needsAll || given.isEmpty {
            throw .failed(Request.self, answers: given.count, error)
        }
        if answers.needsAll, receipt.dropped + receipt.refused > 0 {
            throw .notAsked(Request.self, answers: given.count, receipt)
        }
        if let result = answers.result(given) { return result }
        throw .noAnswer(Request.self)
    }

    /// The result of a request whose wait did not come to its end: one answer that came at the last moment.
    fileprivate func result<Result>(
        _ answers: Answers<Request.Reply, Result>, endedBy error: PostWaitError
    ) throws(RequestError) -> Result {
        gathering.end()
        let given = gathering.answers
        let isEnough = !answers.needsAll || answers.endsInTime && error.code == .timedOut
        if isEnough, let result = answers.result(given) { return result }
        throw .waited(Request.self, answers: given.count, error)
    }
}
