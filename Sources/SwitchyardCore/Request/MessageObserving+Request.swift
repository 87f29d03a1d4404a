// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MessageObserving {
    /// Asks those who answer `request`, and suspends until there is a result.
    ///
    /// ```swift
    /// let isAllowed = try await center.request(CanClose(), .reduce(true) { $0 && $1 }, within: .seconds(5))
    /// ```
    /// Each is asked on its own context, in the order of registration, by priority. Those of the
    /// caller's own context are asked inline, as with `postAndWait`. When the request has ended,
    /// because there are enough answers or the time is up, nobody is asked any more, and an answer
    /// that comes is not taken. An error that somebody throws in place of an answer also goes to
    /// the center's problem hook.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - subject: its subject; nil for none. Those who answer about that subject, or about any,
    ///     are asked.
    ///   - answers: the answers to wait for, and the result to make of them.
    ///   - limit: the longest time to wait. When it is over, the request fails, unless the answers
    ///     say ``Answers/inTime``.
    /// - Returns: The result. With ``Answers/all`` and `reduce`, also if nobody answers.
    /// - Throws: ``RequestError`` if there is no answer that is wanted, if one who was asked threw
    ///   and all answers are needed, when the time is up, when a context has ended, when somebody
    ///   waits, through others, for the caller (the error names them), or when the task is
    ///   cancelled.
    nonisolated(nonsending) public func request<Request: RequestMessage, Result: Sendable>(
        _ request: Request, subject: Request.Subject? = nil,
        _ answers: Answers<Request.Reply, Result>, within limit: Duration
    ) async throws(RequestError) -> Result {
        try await engine.request(request, subject, answers, within: limit)
    }

    /// Asks those who answer `request`, and suspends until the first answer comes; otherwise as
    /// `request(_:subject:_:within:)`.
    nonisolated(nonsending) public func request<Request: RequestMessage>(
        _ request: Request, subject: Request.Subject? = nil, within limit: Duration
    ) async throws(RequestError) -> Request.Reply {
        try await engine.request(request, subject, .first, within: limit)
    }

    /// Asks those who answer `request`, and blocks the calling thread until there is a result;
    /// otherwise as the form for tasks.
    public func request<Request: RequestMessage, Result: Sendable>(
        _ request: Request, subject: Request.Subject? = nil,
        _ answers: Answers<Request.Reply, Result>, within limit: Duration
    ) throws(RequestError) -> Result {
        try engine.request(request, subject, answers, within: limit)
    }

    /// Asks those who answer `request`, and blocks the calling thread until the first answer comes;
    /// otherwise as the form for tasks.
    public func request<Request: RequestMessage>(
        _ request: Request, subject: Request.Subject? = nil, within limit: Duration
    ) throws(RequestError) -> Request.Reply {
        try engine.request(request, subject, .first, within: limit)
    }
}
