// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post did not wait for its handlers to the end. The post itself was made: queued deliveries
/// stay queued, unless the message says otherwise.
public struct PostWaitError: SwitchyardError {
    /// The reason why the wait ended. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The time was up.
        public static let timedOut = Code(description: "timedOut")
        /// A thread or loop ended, or had ended, with a delivery of this post; or a block that was
        /// to make one on an operation queue was cancelled.
        public static let targetEnded = Code(description: "targetEnded")
        /// The handlers could only run after the wait.
        public static let cycle = Code(description: "cycle")
        /// The task that waited was cancelled.
        public static let cancelled = Code(description: "cancelled")
    }

    /// The reason why the wait ended.
    public let code: Code
    /// The message for people: what happened, to whom, and what can be done.
    public let description: String
    /// The post's receipt at the moment when the wait ended.
    public let receipt: PostReceipt
    /// The cycle of waits in words; nil if the wait ended for another reason.
    var cycle: String?
}

extension PostWaitError {
    static func timedOut(
        _ receipt: PostReceipt, after timeout: Duration, _ goal: PostWait.Goal
    ) -> PostWaitError {
        let rest = goal == .accepted ? refused(receipt) : unmade(receipt)
        return PostWaitError(
            code: .timedOut, description: "after \(max(.zero, timeout)), \(rest)", receipt: receipt)
    }

    static func targetEnded(_ receipt: PostReceipt, _ mailboxes: [String]) -> PostWaitError {
        let groups = mailboxes.filter(GroupLabel.isLabel)
        let contexts = mailboxes.filter { !GroupLabel.isLabel($0) }
        var reasons = groups.map { "no member of \($0) is left here that could hear the post" }
        if !contexts.isEmpty || groups.isEmpty {
            let names =
                contexts.isEmpty ? "the observer's thread" : contexts.joined(separator: ", ")
            reasons.append(
                "\(names) ended without delivering the post: end the observation, or observe on a "
                    + "context that lives")
        }
        return PostWaitError(
            code: .targetEnded, description: reasons.joined(separator: "; "), receipt: receipt)
    }

    static func cycle(
        _ receipt: PostReceipt, _ cycle: WaitGraph.Cycle, _ goal: PostWait.Goal
    ) -> PostWaitError {
        let description =
            goal == .accepted
            ? "a post did not wait for room, because \(cycle): post without waiting on one side; \(refused(receipt))"
            : "a post did not wait for its handlers, because \(cycle): post without waiting on one side; "
                + unmade(receipt)
        return PostWaitError(
            code: .cycle, description: description, receipt: receipt, cycle: "\(cycle)")
    }

    static func cancelled(_ receipt: PostReceipt, _ goal: PostWait.Goal) -> PostWaitError {
        let description =
            goal == .accepted
            ? "the task that waited for room was cancelled; \(refused(receipt))"
            : "the task that waited for a post's handlers was cancelled; \(unmade(receipt))"
        return PostWaitError(code: .cancelled, description: description, receipt: receipt)
    }

    /// The deliveries that are lost, in words.
    private static func refused(_ receipt: PostReceipt) -> String {
        "\(receipt.refused) of the post's deliveries found no room, and will not be made"
    }

    /// The deliveries that the wait has not seen made, in words.
    private static func unmade(_ receipt: PostReceipt) -> String {
        let later =
            "\(receipt.queued) of the post's deliveries had not been made, and will be made later, unless the observation ends "
            + "before"
        if receipt.refused == 0 { return later }
        return receipt.queued == 0 ? refused(receipt) : "\(later); \(refused(receipt))"
    }
}
