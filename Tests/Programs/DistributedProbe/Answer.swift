// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What a member answers to a command: what the command asks for, and nothing else.
package struct Answer: Codable, Sendable {
    /// Why it could not be done.
    package var failure: String?
    package var entries: [Entry] = []
    package var tallies: [Tally] = []
    package var peers: [Peer] = []
    package var losses: [Loss] = []
    package var texts: [String] = []
    /// How many were reached, lost, posted; how long something took.
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

/// What an observer heard.
package struct Entry: Codable, Sendable, Equatable {
    package var name: String
    package var object: String?
    /// The number of the post.
    package var number: Int?
    /// Of whom; empty where an observer is not told.
    package var sender: String = ""
    package var process: Int32 = 0
    package var sequence: UInt64 = 0
    /// "main", or the thread's name.
    package var thread = ""
}

/// How much an observer heard of one sender, whose posts are numbered from 1, or from where it began.
package struct Tally: Codable, Sendable, Equatable {
    package var sender: String
    package var process: Int32 = 0
    package var count = 0
    package var first = 0
    package var last = 0
    /// Numbers that were passed over.
    package var missing = 0
    /// Numbers that did not come after the one before.
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
    /// In KiB.
    package var residentMemory: Int
    /// Without what it shares with other processes, most of which are the code of libraries.
    package var privateMemory: Int
    package var threads: Int
    /// How often its threads have waited so far.
    package var voluntarySwitches: Int
    package var openFiles: Int
}
