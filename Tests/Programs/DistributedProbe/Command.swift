// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardDistributed

/// What a test tells a member of the mesh to do, wherever that lives: in this process or in another.
package enum Command: Codable, Sendable {
    /// Observes from now on, under a name of the test's.
    case observe(String, Observing)
    /// Ends that.
    case end(String)
    case post(Posts)
    /// Posts on a thread of its own until told to stop, as fast as these peers, or all, hear it.
    case stream(Posts, minding: [String])
    /// Ends that; how many that were.
    case stopStreaming
    /// How many that were so far, give or take those of one batch.
    case streamed
    /// What an observer heard, once that is so many.
    case entries(String, atLeast: Int)
    /// How much it heard of whom, once that is so many in all.
    case tally(String, atLeast: Int)
    /// The same, once it has heard of these senders up to these numbers.
    case tallyUpTo(String, [String: Int])
    /// Forgets what an observer heard.
    case clear(String)
    case ready(seconds: Double)
    case flush(seconds: Double)
    case suspend(Bool)
    /// Who it is itself.
    case identity
    case peers
    /// The peers, once there are so many that have said what they observe.
    case peersKnown(atLeast: Int)
    /// The peers, once there are no more than so many.
    case peersLeft(atMost: Int)
    /// How many seconds it took; negative: no answer.
    case ping(String, seconds: Double)
    case status(of: String, seconds: Double)
    /// Losses that were told of, once they are so many notifications in both directions.
    case losses(incoming: UInt64, outgoing: UInt64)
    /// Problems that were reported, once one of them contains this.
    case problems(containing: String)
    /// Has gated observers hold up their threads at the next notification, or lets them go on.
    case gate(isOpen: Bool)
    /// Makes a center and lets it go, so often; what the process costs then.
    case churn(String, times: Int)
    /// Lets go of the center.
    case leave
    /// What the process costs: its memory, its threads' voluntary switches.
    case costs
    /// Forks a child, which tries out the center and makes one of its own; what it found.
    case fork(stays: Bool)
    /// Changes the process's working folder.
    case changeFolder(String)
    /// Becomes another program, which waits for the end of its input.
    case exec(String)
}

/// What is observed, how and where.
package struct Observing: Codable, Sendable {
    package enum Kind: String, Codable, Sendable {
        case notification
        case undecoded
        case message
    }

    package var kind: Kind
    package var name: String?
    package var object: String?
    /// On the thread where it arrives; otherwise where the center delivers by itself.
    package var onPoster = true
    package var behavior: UInt?
    /// Only counts, by sender.
    package var onlyCounts = false
    /// Waits where it hears until the gate is open.
    package var isGated = false
    /// Posts "GONE" where it hears, and then has the process exit.
    package var endsProcess = false

    package init(
        _ name: String? = nil, _ object: String? = nil, kind: Kind = .undecoded,
        onPoster: Bool = true,
        behavior: DistributedNotificationCenter.SuspensionBehavior? = nil, onlyCounts: Bool = false,
        isGated: Bool = false, endsProcess: Bool = false
    ) {
        self.kind = kind
        self.name = name
        self.object = object
        self.onPoster = onPoster
        self.behavior = behavior?.rawValue
        self.onlyCounts = onlyCounts
        self.isGated = isGated
        self.endsProcess = endsProcess
    }
}

/// What is posted, how often and how. Posts are numbered.
package struct Posts: Codable, Sendable {
    package enum Form: String, Codable, Sendable {
        /// A property list, with the number under "n".
        case info
        /// Bytes that begin with the number.
        case bytes
        /// A ``Sample``.
        case message
        /// Nothing but the name and the object.
        case bare
    }

    package var name: String
    package var object: String?
    package var form: Form
    package var count: Int
    package var first: Int
    /// How many bytes of payload.
    package var size: Int
    package var isImmediate: Bool

    package init(
        _ name: String, _ object: String? = nil, form: Form = .bytes, count: Int = 1,
        first: Int = 1, size: Int = 100, isImmediate: Bool = false
    ) {
        self.name = name
        self.object = object
        self.form = form
        self.count = count
        self.first = first
        self.size = size
        self.isImmediate = isImmediate
    }
}

/// A typed message.
package struct Sample: DistributedMessage, Equatable {
    package var number: Int
    package var text: String

    package init(number: Int, text: String) {
        self.number = number
        self.text = text
    }
}
