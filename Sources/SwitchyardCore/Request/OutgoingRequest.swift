// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A request of this process on its way to others, with the gathering of their answers.
@_spi(Engine) public struct OutgoingRequest<Request: RequestMessage>: Sendable {
    /// The request.
    public let request: Request
    /// The request's subject.
    public let subject: Subject
    private let gathering: Gathering<Request.Reply>
    private let wait: PostWait

    init(_ asked: AskedRequest<Request>, _ subject: Subject, _ wait: PostWait) {
        request = asked.request
        gathering = asked.gathering
        self.subject = subject
        self.wait = wait
    }

    /// The answers that the request waits for.
    public var wanted: WantedAnswers { gathering.wanted }

    /// Has the request wait for a process, until the ticket ends.
    package func waitForProcess() -> PostWait.Ticket { PostWait.Ticket(wait, []) }

    /// Takes the answer of another process, or its error.
    public func take(_ answer: Result<Request.Reply, any Error>, ranked rank: AnswerRank) {
        switch answer {
        case .success(let reply): gathering.add(reply, ranked: rank)
        case .failure(let error): gathering.fail(error, ranked: rank)
        }
    }
}
