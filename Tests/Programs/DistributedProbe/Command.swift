// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardDistributed

/// A command of a test to a member of the mesh, in this process or in another.
package enum Command: Codable, Sendable {
    /// Observes from now on, under a name of the test's.
    case observe(String, Observing)
    /// Ends the observation of that name.
    case end(String)
    /// Answers ``Question``s from now on, under a name of the test's.
    case answer(String, Answering)
    /// Asks a ``Question``. The answer has the answers as entries, or the code of the error as
    /// failure.
    case request(Question, all: Bool, seconds: Double)
    case post(Posts)
    /// Posts on a thread of its own until told to stop, as fast as these peers, or all, hear it.
    case stream(Posts, minding: [String])
    /// Ends the stream of posts. The answer is their number.
    case stopStreaming
    /// Asks for the number of streamed posts so far, give or take one batch.
    case streamed
    /// Asks for the notifications that an observer heard, once they are so many.
    case entries(String, atLeast: Int)
    /// Asks for the tallies of an observer, once it has heard so many in all.
    case tally(String, atLeast: Int)
    /// Asks for the tallies of an observer, once it has heard these senders up to these numbers.
    case tallyUpTo(String, [String: Int])
    /// Forgets the notifications that an observer heard.
    case clear(String)
    case ready(seconds: Double)
    case flush(seconds: Double)
    case suspend(Bool)
    /// Asks for the member's own peer.
    case identity
    case peers
    /// Asks for the peers, once so many have said what they observe.
    case peersKnown(atLeast: Int)
    /// Asks for the peers, once there are no more than so many.
    case peersLeft(atMost: Int)
    /// Pings a peer. The answer is the time in seconds; negative for no answer.
    case ping(String, seconds: Double)
    case status(of: String, seconds: Double)
    /// Asks for the reported losses, once they are so many notifications in both directions.
    case losses(incoming: UInt64, outgoing: UInt64)
    /// Asks for the reported problems, once one of them contains this.
    case problems(containing: String)
    /// Has the process exit in the hook that the next loss is reported to.
    case exitOnLoss
    /// Has gated observers hold up their threads at the next notification, or lets them go on.
    case gate(isOpen: Bool)
    /// Makes a center and lets it go, so often. The answer is the costs of the process.
    case churn(String, times: Int)
    /// Lets go of the center.
    case leave
    /// Asks for the costs of the process: its memory, its threads' voluntary switches.
    case costs
    /// Forks a child, which tries out the center and makes one of its own. The answer is the
    /// child's report.
    case fork(stays: Bool)
    /// Forks so many children, one after the other, while another thread posts. Each makes a center
    /// of the domain, lets it go, and ends. The answer has a line for each that does not end.
    case forkEnding(String, times: Int)
    /// Changes the process's working folder.
    case changeFolder(String)
    /// Becomes another program, which waits for the end of its input.
    case exec(String)
}

/// An observation: its name and object, its options, and its context.
package struct Observing: Codable, Sendable {
    package enum Kind: String, Codable, Sendable {
        case notification
        case undecoded
        case message
    }

    package var kind: Kind
    package var name: String?
    package var object: String?
    /// True: delivers on the thread where the notification arrives. False: delivers on the center's
    /// default context.
    package var onPoster = true
    package var behavior: UInt?
    /// True: the observer only counts, by sender.
    package var onlyCounts = false
    /// True: the handler waits until the gate is open.
    package var isGated = false
    /// True: the handler posts "GONE", and then has the process exit.
    package var endsProcess = false
    /// True: the observer first hears the latest values that were posted to be kept.
    package var hearsLatest = false
    /// The group in which the observer shares notifications with others.
    package var group: String?

    package init(
        _ name: String? = nil, _ object: String? = nil, kind: Kind = .undecoded,
        onPoster: Bool = true,
        behavior: DistributedNotificationCenter.SuspensionBehavior? = nil, onlyCounts: Bool = false,
        isGated: Bool = false, endsProcess: Bool = false, hearsLatest: Bool = false,
        group: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.object = object
        self.onPoster = onPoster
        self.behavior = behavior?.rawValue
        self.onlyCounts = onlyCounts
        self.isGated = isGated
        self.endsProcess = endsProcess
        self.hearsLatest = hearsLatest
        self.group = group
    }
}

/// A number of posts, with their name, object and payload. Posts are numbered.
package struct Posts: Codable, Sendable {
    package enum Form: String, Codable, Sendable {
        /// A property list, with the number under "n".
        case info
        /// Bytes that begin with the number.
        case bytes
        /// A ``Sample``.
        case message
        /// No payload: the name and the object alone.
        case bare
    }

    package var name: String
    package var object: String?
    package var form: Form
    package var count: Int
    package var first: Int
    /// The number of bytes of the payload.
    package var size: Int
    package var isImmediate: Bool
    /// True: posts notifications that are kept for observers that come late. Without effect for
    /// messages and bytes.
    package var isKept: Bool

    package init(
        _ name: String, _ object: String? = nil, form: Form = .bytes, count: Int = 1,
        first: Int = 1, size: Int = 100, isImmediate: Bool = false,
        isKept: Bool = false
    ) {
        self.name = name
        self.object = object
        self.form = form
        self.count = count
        self.first = first
        self.size = size
        self.isImmediate = isImmediate
        self.isKept = isKept
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

/// A request with its answers: the square of its number, and the process that answers.
package struct Question: DistributedRequest {
    package struct Reply: Codable, Sendable {
        package var number: Int
        package var process: Int32
    }

    package var number: Int

    package init(_ number: Int) { self.number = number }
}

/// The way of answering.
package enum Answering: String, Codable, Sendable {
    case atOnce
    /// Waits until the gate is open.
    case gated
    /// Has the process exit, behind an answer of another handler.
    case exiting
    /// Ends the process without any end of its center.
    case crashing
}
