// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What a member answers to a command: what the command asks for, and nothing else.
public struct Answer: Codable, Sendable {
    /// Why it could not be done.
    public var failure: String?
    public var entries: [Entry] = []
    public var tallies: [Tally] = []
    public var peers: [Peer] = []
    public var losses: [Loss] = []
    public var texts: [String] = []
    /// How many were reached, lost, posted; how long something took.
    public var number = 0.0
    public var dropped = 0
    public var costs: Costs?

    public init() {}

    static func failed(_ error: any Error) -> Answer {
        var answer = Answer()
        answer.failure = "\(error)"
        return answer
    }
}

/// What an observer heard.
public struct Entry: Codable, Sendable, Equatable {
    public var name: String
    public var object: String?
    /// The number of the post.
    public var number: Int?
    /// Of whom; empty where an observer is not told.
    public var sender: String = ""
    public var process: Int32 = 0
    public var sequence: UInt64 = 0
    /// "main", or the thread's name.
    public var thread = ""
}

/// How much an observer heard of one sender, whose posts are numbered from 1, or from where it began.
public struct Tally: Codable, Sendable, Equatable {
    public var sender: String
    public var process: Int32 = 0
    public var count = 0
    public var first = 0
    public var last = 0
    /// Numbers that were passed over.
    public var missing = 0
    /// Numbers that did not come after the one before.
    public var disorder = 0
}

public struct Peer: Codable, Sendable {
    public var id: String
    public var process: Int32
    public var name: String
    public var interests: [String]?
    public var sent: UInt64
    public var queuedBytes: Int
    public var lost: UInt64
    public var received: UInt64
    public var missed: UInt64
}

public struct Loss: Codable, Sendable, Equatable {
    public var process: Int32
    public var name: String
    public var isIncoming: Bool
    public var count: UInt64
}

public struct Costs: Codable, Sendable {
    /// In KiB.
    public var residentMemory: Int
    public var threads: Int
    /// How often its threads have waited so far.
    public var voluntarySwitches: Int
    public var openFiles: Int
}
