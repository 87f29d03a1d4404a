// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
public import Foundation
internal import Switchyard
public import SwitchyardCore

/// A distributed center can't reach other processes.
public struct DistributedCenterError: SwitchyardError, LocalizedError {
    /// The reason of an error. More may come: have a `default` where you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The domain's name is empty, or too long for a file's name.
        public static let invalidDomain = Code(description: "invalidDomain")
        /// The process, or the system, has too many files open or watched.
        ///
        /// A center that was made goes on when no file can be opened any more, and lets other
        /// processes in when some are closed. The system's Dispatch library, on which tasks run,
        /// does not: it opens files when a program first uses a task, a timer or a queue, and ends
        /// the program when it can't. A program that may come to its limit should use it early,
        /// for example `Task.detached { try await Task.sleep(for: .milliseconds(1)) }` at its start.
        public static let outOfDescriptors = Code(description: "outOfDescriptors")
        /// The system can't start a thread for the process.
        public static let outOfThreads = Code(description: "outOfThreads")
        /// The folder in which processes find each other can't be used.
        public static let runtimeFolder = Code(description: "runtimeFolder")
        /// The process at the other end is another user's, or the system does not say whose.
        public static let otherUser = Code(description: "otherUser")
        /// The transport did not start; the cause says why.
        public static let transport = Code(description: "transport")
    }

    /// The reason why other processes can't be reached.
    public let code: Code
    /// The message for people: what is wrong, and what to do.
    public let description: String
    /// The error that led to this one; nil if there is none.
    public let cause: (any Error)?

    package init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    package static let outOfDescriptors = DistributedCenterError(
        .outOfDescriptors, "this process is out of file descriptors: raise the limit (ulimit -n)")

    /// Returns the system's text for an error number, which is negative.
    package static func text(for error: Int32) -> String { String(cString: strerror(-error)) }
}
