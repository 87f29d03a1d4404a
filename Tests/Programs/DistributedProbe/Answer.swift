// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The answer of a member to a command. It has the values that the command asks for, and no others.
package struct Answer: Codable, Sendable {
    /// The reason for which the command failed.
    package var failure: String?
    package var entries: [Entry] = []
    package var tallies: [Tally] = []
    package var peers: [Peer] = []
    package var losses: [Loss] = []
    package var texts: [String] = []
    /// A count of reached, lost or posted notifications, or a time in seconds.
    package var number = 0.0
    package var dropped = 0
    package var costs: Costs?

    package init() {}

    static func failed(_ error: any Error) -> Answer {
        var answer = Answer()
        answer.failure = "\(error)"
        return answer
    }
}

/// A notification that an observer heard.
package struct Entry: Codable, Sendable, Equatable {
    package var name: String
    package var object: String?
    /// The number of the post.
    package var number: Int?
    /// The sender; empty where an observer is not told.
    package var sender: String = ""
    package var process: Int32 = 0
    package var sequence: UInt64 = 0
    /// The thread of the call: "main", or the thread's name.
    package var thread = ""
}

/// The count of notifications that an observer heard from one sender. A sender's posts are numbered
/// from 1, or from its first number.
package struct Tally: Codable, Sendable, Equatable {
    package var sender: String
    package var process: Int32 = 0
    package var count = 0
    package var first = 0
    package var last = 0
    /// The count of numbers that were passed over.
    package var missing = 0
    /// The count of numbers that did not come after the one before.
    package var disorder = 0
}

package struct Peer: Codable, Sendable {
    package var id: String
    package var process: Int32
    package var name: String
    package var interests: [String]?
    package var sent: UInt64
    package var queuedBytes: Int
    package var lost: UInt64
    package var received: UInt64
    package var missed: UInt64
}

package struct Loss: Codable, Sendable, Equatable {
    package var process: Int32
    package var name: String
    package var isIncoming: Bool
    package var count: UInt64
}

package struct Costs: Codable, Sendable {
    /// The resident memory in KiB.
    package var residentMemory: Int
    /// The memory without pages shared with other processes, most of which are the code of
    /// libraries.
    package var privateMemory: Int
    package var threads: Int
    /// The number of times that its threads have waited so far.
    package var voluntarySwitches: Int
    package var openFiles: Int
}
