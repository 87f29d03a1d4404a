// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Logging
internal import Logging
internal import SwitchyardCore

/// A problem as an entry of a log.
struct ProblemEntry {
    private let problem: DeliveryProblem

    init(_ problem: DeliveryProblem) { self.problem = problem }

    func write(to logger: Logger) {
        // Logs the error only if the handler threw it: other errors may quote the payload.
        let error = problem.kind == .handlerThrew ? problem.error : nil
        logger.log(level: level, message, error: error, metadata: metadata)
    }

    private var level: Logger.Level {
        switch problem.kind {
        case .handlerThrew: .error
        case .highWater: .notice
        default: .warning
        }
    }

    /// The message, one for each kind of problem, so that logs can be searched and counted.
    private var message: Logger.Message {
        switch problem.kind {
        case .handlerThrew: "handler threw"
        case .undeliverable: "deliveries were not made"
        case .highWater: "deliveries pile up"
        case .wouldNotReturn: "wait would not have ended, and was left out"
        case .notConvertible: "notification is no message of the observed type"
        case .objectIsGone: "notification lost its object, which is gone"
        case .loopDoesNotRun: "run loop may never run"
        case .isolatedMethod: "method does not run where it was registered"
        case .wrongCenter: "token belongs to another center"
        default: Self.messageOfOtherModules[problem.kind.description] ?? "problem with a delivery"
        }
    }

    /// The messages of kinds that the core does not know.
    private static let messageOfOtherModules: [String: Logger.Message] = [
        "distributedLoss": "notifications were lost between processes",
        "transport": "problem with another process",
        "unreachable": "process could not be found for a while",
        "notDistributable": "notification can't go to other processes",
    ]

    private var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "kind": "\(problem.kind)", "count": "\(problem.count)",
        ]
        if let topic = problem.topic { metadata["topic"] = "\(topic)" }
        if let context = problem.context { metadata["context"] = "\(context)" }
        if let origin = problem.origin { metadata["origin"] = "\(origin)" }
        // The description of a problem with one notification may quote its payload.
        if problem.topic == nil, problem.context == nil {
            metadata["detail"] = "\(problem.description)"
        }
        return metadata
    }
}
#endif
