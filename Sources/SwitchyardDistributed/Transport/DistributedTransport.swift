// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What carries a center's notifications to other processes, and theirs to it.
///
/// ``DistributedNotificationCenter`` uses a mesh of unix sockets unless it is given another. An engine
/// of your own conforms to this, and hands what comes to its ``DistributedIntake``.
///
/// Methods are called on any thread, and must not block, nor call the intake before they return,
/// unless they say so.
public protocol DistributedTransport: AnyObject, Sendable {
    /// Begins. Called once, before anything else.
    ///
    /// - Parameter intake: where notifications from other processes go, until ``stop()``.
    /// - Throws: when other processes can't be reached, with what can be done.
    func start(_ intake: DistributedIntake) throws

    /// Ends: nothing is given to the intake any more once this has returned, except by calls under
    /// way. What waits to be sent is given up.
    func stop()

    /// What this process observes has changed: ``DistributedIntake/takeInterestChanges()`` is to be
    /// asked soon, from a thread of the transport.
    func interestChanged()

    /// Sends a notification to the processes that observe it, behind those sent before by this thread.
    ///
    /// - Throws: ``DistributedPostError`` when it can't be sent. The center posts it nowhere then.
    func send(_ notification: OutgoingNotification) throws -> DistributedSendResult

    /// Waits until every live peer has taken note of what this process observes at the time of the
    /// call.
    ///
    /// - Returns: Peers that had not in time.
    func ready(within limit: Duration) async -> [DistributedPeer]

    /// Waits until nothing that was sent before waits in this process any more.
    ///
    /// - Returns: Peers for whom something still waits.
    func flush(within limit: Duration) async -> [DistributedPeer]

    /// The peers as of now.
    var peers: [DistributedPeerStatus] { get }

    /// This process, as its peers see it.
    var ownPeer: DistributedPeer { get }

    /// Asks a peer for a sign of life.
    ///
    /// - Returns: How long it took; nil when none came in time.
    func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration?

    /// Asks a peer what it knows of its own peers.
    ///
    /// - Returns: What it said; nil when it said nothing in time.
    func status(of peer: DistributedPeer, within limit: Duration) async -> [DistributedPeerStatus]?
}

/// A notification on its way to other processes.
public struct OutgoingNotification: Sendable {
    /// Under what name it is posted.
    public let name: String
    /// What it is about.
    public let object: String?
    /// What it carries.
    public let payload: DistributedPayload
    /// Whether suspended processes get it as well.
    public let deliversImmediately: Bool

    /// A notification to be sent.
    public init(
        name: String, object: String?, payload: DistributedPayload, deliversImmediately: Bool
    ) {
        self.name = name
        self.object = object
        self.payload = payload
        self.deliversImmediately = deliversImmediately
    }
}

/// A notification from another process.
public struct IncomingNotification: Sendable {
    /// Under what name it was posted.
    public let name: String
    /// What it is about.
    public let object: String?
    /// What it carries.
    public let payload: DistributedPayload
    /// Whether it is delivered also while the center is suspended.
    public let deliversImmediately: Bool
    /// Who posted it.
    public let sender: DistributedPeer
    /// Its number among those that the sender sent here.
    public let sequence: UInt64

    /// A notification that came.
    public init(
        name: String, object: String?, payload: DistributedPayload, deliversImmediately: Bool,
        sender: DistributedPeer, sequence: UInt64
    ) {
        self.name = name
        self.object = object
        self.payload = payload
        self.deliversImmediately = deliversImmediately
        self.sender = sender
        self.sequence = sequence
    }
}

/// What became of a notification that was to be sent.
public struct DistributedSendResult: Sendable, Hashable {
    /// To how many peers it went, or waits to go.
    public var sent: Int
    /// How many deliveries were lost because too much waits for a peer.
    public var dropped: Int

    /// What became of a notification.
    public init(sent: Int = 0, dropped: Int = 0) {
        self.sent = sent
        self.dropped = dropped
    }
}
