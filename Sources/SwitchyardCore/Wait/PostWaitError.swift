// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post did not wait for its handlers to the end. The post itself was made: queued deliveries stay
/// queued, unless the message says otherwise.
public struct PostWaitError: SwitchyardError {
    /// The reason why the wait ended. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The time was up.
        public static let timedOut = Code(description: "timedOut")
        /// A thread or loop ended, or had ended, with a delivery of this post; or a block that was to make
        /// one on an operation queue was cancelled.
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
}

extension PostWaitError {
    static func timedOut(
        _ receipt: PostReceipt, after timeout: Duration, _ goal: PostWait.Goal
    ) -> PostWaitError {
        let rest =
            goal == .accepted
            ? "\(receipt.refused) of a post's deliveries had found no room; they are not made"
            : "\(receipt.queued) of a post's deliveries had not been made; they are made later, except those that "
                + "found no room, and those whose observation has ended by then"
        return PostWaitError(
            code: .timedOut, description: "after \(timeout), \(rest)", receipt: receipt)
    }

    static func targetEnded(_ receipt: PostReceipt, _ mailboxes: [String]) -> PostWaitError {
        let names = mailboxes.isEmpty ? "the observer's thread" : mailboxes.joined(separator: ", ")
        return PostWaitError(
            code: .targetEnded,
            description:
                "\(names) ended without delivering the post: if it is a thread or loop of this process, "
                + "end the observation, or observe on a context that lives; if it is a group, it has no "
                + "member any more that could hear the post",
            receipt: receipt)
    }

    static func cycle(
        _ receipt: PostReceipt, _ cycle: WaitGraph.Cycle, _ goal: PostWait.Goal
    ) -> PostWaitError {
        let description =
            goal == .accepted
            ? "a post did not wait for room, because \(cycle); deliveries without room are not made: post without "
                + "waiting on one side"
            : "a post did not wait for its handlers, because \(cycle); they run later: post without waiting on one "
                + "side"
        return PostWaitError(code: .cycle, description: description, receipt: receipt)
    }

    static func cancelled(_ receipt: PostReceipt, _ goal: PostWait.Goal) -> PostWaitError {
        let description =
            goal == .accepted
            ? "the task that waited for room was cancelled; deliveries without room are not made"
            : "the task that waited for a post's handlers was cancelled; they run later"
        return PostWaitError(code: .cancelled, description: description, receipt: receipt)
    }
}
