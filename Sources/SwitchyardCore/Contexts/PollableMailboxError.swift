// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A ``PollableMailbox`` could not be made.
public struct PollableMailboxError: SwitchyardError {
    /// The reason of an error. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The process, or the system, has too many files open.
        public static let outOfDescriptors = Code(description: "outOfDescriptors")
    }

    /// The reason why there is no mailbox.
    public let code: Code
    /// The message for people: what happened, and what can be done.
    public let description: String

    static let outOfDescriptors = PollableMailboxError(
        code: .outOfDescriptors,
        description:
            "no file descriptor for a mailbox: the process or the system has too many files "
            + "open; close some, or raise the limit (ulimit -n)")
}
