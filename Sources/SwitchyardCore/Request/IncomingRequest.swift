// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A request of another process, while it is asked here.
package struct IncomingRequest: Sendable {
    /// The outcome of a request that was asked here, beside its answers.
    package struct End: Sendable {
        /// The number of those who were not asked, because their bounds lost or refused the
        /// request.
        package let notAsked: Int
        /// The labels of the contexts that have ended with the request.
        package let endedContexts: [String]

        /// Makes an outcome; by default, all were asked.
        package init(notAsked: Int = 0, endedContexts: [String] = []) {
            self.notAsked = notAsked
            self.endedContexts = endedContexts
        }
    }

    private let endGathering: @Sendable () -> Void

    init(_ gathering: Gathering<some Sendable>) { endGathering = { gathering.end() } }

    private init() { endGathering = {} }

    /// A request that nobody is asked.
    package static let over = IncomingRequest()

    /// Ends the request: nobody is asked any more, and no answer is taken.
    package func end() { endGathering() }
}

extension NotificationEngine {
    /// Whether somebody answers requests of a type about a subject.
    package func answers<Request: RequestMessage>(
        _ type: Request.Type, about subject: Request.Subject?
    ) -> Bool {
        isObserved(.type(AskedRequest<Request>.self), Subject(optional: subject)) { _ in true }
    }

    /// Asks those who answer a request of another process, and returns without waiting for them.
    ///
    /// - Parameters:
    ///   - relay: called for each answer, on the thread that gave it.
    ///   - whenOver: called once, when no answer can come any more, perhaps before this returns.
    package func ask<Request: RequestMessage>(
        _ request: Request, about subject: Request.Subject?, _ wanted: WantedAnswers,
        relay: @escaping AnswerRelay<Request.Reply>,
        whenOver: @escaping @Sendable (IncomingRequest.End) -> Void
    ) -> IncomingRequest {
        let asked = AskedRequest(
            request: request, gathering: Gathering<Request.Reply>(wanted, relay: relay))
        _ = PostWait.start(waitsForRoom: true) { wait in
            asked.gathering.whenOver { wait.end() }
            return post(asked, subject, wait)
        } whenDone: { receipt, wait in
            whenOver(
                IncomingRequest.End(
                    notAsked: wait.lostDeliveries(receipt),
                    endedContexts: wait.endedMailboxes))
        }
        return IncomingRequest(asked.gathering)
    }
}
