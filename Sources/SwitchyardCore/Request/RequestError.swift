// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A request got no result.
public struct RequestError: SwitchyardError {
    /// The reason why there is no result. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// No wanted answer came, and none can come any more: there is nobody to ask, or all who
        /// were asked have answered otherwise.
        public static let noAnswer = Code(description: "noAnswer")
        /// The time was up.
        public static let timedOut = Code(description: "timedOut")
        /// One of those who were asked threw an error.
        public static let answerFailed = Code(description: "answerFailed")
        /// One who answers was not asked, because of a bound that lost or refused the request, or a
        /// pause that ended without its deliveries; or an answer was lost between processes. For
        /// requests that need all answers, perhaps only as far as they come in time, and for those
        /// that got no wanted one.
        public static let notAsked = Code(description: "notAsked")
        /// The request could not be sent to other processes: it can't be encoded, or is too long,
        /// or too much waits for a connection.
        public static let notSent = Code(description: "notSent")
        /// A thread or loop ended, or had ended, before somebody answered there; or another process
        /// did.
        public static let targetEnded = Code(description: "targetEnded")
        /// Somebody could answer only after the request had ended, because it waits for the one who
        /// asks.
        public static let cycle = Code(description: "cycle")
        /// The task that waited was cancelled.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The reason why there is no result.
    public let code: Code
    /// The message for people: what happened, to whom, and what can be done.
    public let description: String
    /// The number of answers that had come.
    public let answers: Int
    /// The error that somebody threw in place of an answer, or the ``PostWaitError`` that ended the
    /// wait.
    public let cause: (any Error)?
}

extension RequestError {
    static func noAnswer<Request: RequestMessage>(_ type: Request.Type) -> RequestError {
        RequestError(
            code: .noAnswer,
            description:
                "\(type) got no answer: nobody answers it, about its subject or any, or nobody gave an "
                + "answer that was wanted; register with answer(\(type).self)",
            answers: 0, cause: nil)
    }

    static func notAsked<Request: RequestMessage>(
        _ type: Request.Type, answers: Int, _ receipt: PostReceipt
    ) -> RequestError {
        RequestError(
            code: .notAsked,
            description:
                "\(type) was not asked of all who answer it, or not all answers came, because bounds, pauses "
                + "or queues between processes lost or refused them (\(receipt)): ask again later, or give more room",
            answers: answers, cause: nil)
    }

    static func notSent<Request: RequestMessage>(
        _ type: Request.Type, _ error: any Error
    ) -> RequestError {
        RequestError(
            code: .notSent,
            description:
                "\(type) was not sent to other processes, and ends without a result: \(error)",
            answers: 0, cause: error)
    }

    static func failed<Request: RequestMessage>(
        _ type: Request.Type, answers: Int, _ error: any Error
    ) -> RequestError {
        RequestError(
            code: .answerFailed, description: "somebody who was asked \(type) threw: \(error)",
            answers: answers, cause: error)
    }

    static func waited<Request: RequestMessage>(
        _ type: Request.Type, answers: Int, _ error: PostWaitError
    ) -> RequestError {
        let code: Code =
            switch error.code {
            case .timedOut: error.receipt.undeliverable > 0 ? .targetEnded : .timedOut
            case .targetEnded: .targetEnded
            case .cycle: .cycle
            default: .cancelled
            }
        let reason =
            switch code {
            case .timedOut: "not all who were asked had answered in time"
            case .cancelled: "the task that asked was cancelled, and nobody else is asked"
            case .targetEnded: "one who was asked has ended without an answer: \(error)"
            case .cycle:
                "the answer could come only after the wait, because \(error.cycle ?? ""): do not wait "
                    + "for one who asks while you answer"
            default: error.description
            }
        return RequestError(
            code: code,
            description: "\(type) ended without a result, after \(answers) answers: \(reason)",
            answers: answers, cause: error)
    }
}
