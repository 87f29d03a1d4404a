// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A carrier of a center's notifications to other processes, and of theirs to the center.
///
/// ``DistributedNotificationCenter`` uses a mesh of unix sockets unless it is given another
/// transport. An engine of your own conforms to this protocol, and hands incoming notifications to
/// its ``DistributedIntake``.
///
/// Methods are called on any thread. Unless they say so, they must not block, nor call the intake
/// before they return.
public protocol DistributedTransport: AnyObject, Sendable {
    /// Starts the transport. Called once, before anything else.
    ///
    /// - Parameter intake: The receiver of notifications from other processes, until ``stop()``.
    /// - Throws: An error if other processes can't be reached; it says what can be done.
    func start(_ intake: DistributedIntake) throws

    /// Stops the transport. Once this has returned, nothing is given to the intake any more, except
    /// by calls under way. Notifications that wait to be sent are given up.
    func stop()

    /// Tells the transport that this process's interests have changed. It has to call
    /// ``DistributedIntake/takeInterestChanges()`` soon, from a thread of its own.
    func interestChanged()

    /// Sends a notification to the processes that observe it, behind those that this thread sent
    /// before.
    ///
    /// - Throws: ``DistributedPostError`` if the notification can't be sent. The center then posts
    ///   it nowhere.
    func send(_ notification: OutgoingNotification) throws -> DistributedSendResult

    /// Waits until every live peer knows the interests that this process has at the time of the
    /// call.
    ///
    /// - Returns: The peers that did not answer in time.
    func ready(within limit: Duration) async -> [DistributedPeer]

    /// Waits until no notification sent before waits in this process any more.
    ///
    /// - Returns: The peers for which something still waits.
    func flush(within limit: Duration) async -> [DistributedPeer]

    /// The current status of each peer.
    var peers: [DistributedPeerStatus] { get }

    /// This process, as its peers see it.
    var ownPeer: DistributedPeer { get }

    /// Asks a peer for a sign of life.
    ///
    /// - Returns: The time until the answer; nil if none came in time.
    func ping(_ peer: DistributedPeer, within limit: Duration) async -> Duration?

    /// Asks a peer for the status of its own peers.
    ///
    /// - Returns: The statuses; nil if no answer came in time.
    func status(of peer: DistributedPeer, within limit: Duration) async -> [DistributedPeerStatus]?
}

/// A notification on its way to other processes.
public struct OutgoingNotification: Sendable {
    /// The name under which the notification is posted.
    public let name: String
    /// The object that the notification is about.
    public let object: String?
    /// The encoded payload.
    public let payload: DistributedPayload
    /// Whether suspended processes deliver the notification as well.
    public let deliversImmediately: Bool

    /// Creates a notification to be sent.
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
    /// The name under which the notification was posted.
    public let name: String
    /// The object that the notification is about.
    public let object: String?
    /// The encoded payload.
    public let payload: DistributedPayload
    /// Whether the notification is delivered even while the center is suspended.
    public let deliversImmediately: Bool
    /// The process that posted the notification.
    public let sender: DistributedPeer
    /// The notification's number among those that the sender sent here.
    public let sequence: UInt64

    /// Creates a notification that came from another process.
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

/// The result of sending a notification.
public struct DistributedSendResult: Sendable, Hashable {
    /// The number of peers that the notification went to, or waits for.
    public var sent: Int
    /// The number of deliveries lost because too much waits for a peer, or because this process
    /// leaves.
    public var dropped: Int

    /// Creates a result.
    public init(sent: Int = 0, dropped: Int = 0) {
        self.sent = sent
        self.dropped = dropped
    }
}
