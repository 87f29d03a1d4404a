// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A carrier of a center's notifications to other processes, and of theirs to the center.
///
/// ``DistributedNotificationCenter`` uses a mesh of unix sockets unless it is given another
/// transport. A transport of your own conforms to this protocol, and hands incoming notifications
/// to its ``DistributedIntake``.
///
/// Methods are called on any thread. Unless they say so, they must not block, nor call the intake
/// before they return.
public protocol DistributedTransport: AnyObject, Sendable {
    /// Starts the transport. Called once, before anything else but ``ownPeer``,
    /// ``tracksDelivery``, ``sharesLatestValues``, ``carriesRequests`` and ``sharesGroups``, which
    /// are constant.
    ///
    /// The center has interests of its own by now: have them taken
    /// (``DistributedIntake/takeInterestChanges()``) without waiting for ``interestChanged()``.
    ///
    /// - Parameter intake: The receiver of notifications from other processes, until ``stop()``.
    /// - Throws: An error if other processes can't be reached; it says what can be done.
    func start(_ intake: DistributedIntake) throws

    /// Stops the transport. Once this has returned, nothing is given to the intake any more, except
    /// by calls under way. Notifications that wait to be sent are given up.
    func stop()

    /// Ends the transport for a center that is released, or that leaves. The default is ``stop()``.
    ///
    /// - Parameter flushing: Whether notifications that wait are still sent, for as long as other
    ///   processes take them. The call does not wait for that.
    /// - Returns: The losses that the transport has reported before it returned.
    @discardableResult
    func close(flushing: Bool) -> [DistributedLoss]

    /// Begins to leave: from now on the transport may refuse notifications, and counts them as
    /// dropped, so that what waits gets less. The default refuses none.
    func beginLeaving()

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
    func waitUntilReady(within limit: Duration) async -> [DistributedPeer]

    /// Waits until no notification sent before waits in this process any more.
    ///
    /// - Returns: The peers for which something still waits.
    func waitUntilFlushed(within limit: Duration) async -> [DistributedPeer]

    /// Waits like ``waitUntilReady(within:)``, and blocks the calling thread. The default blocks on
    /// ``waitUntilReady(within:)``, which needs the threads that run tasks: a forked child has
    /// none.
    func blockUntilReady(within limit: Duration) -> [DistributedPeer]

    /// Waits like ``waitUntilFlushed(within:)``, and blocks the calling thread. The default blocks
    /// on ``waitUntilFlushed(within:)``.
    func blockUntilFlushed(within limit: Duration) -> [DistributedPeer]

    /// Whether other processes can be reached at all. True by default; false in a forked child
    /// whose connections are the parent's, and while there is no connection to the server that
    /// stands between the processes.
    var isConnected: Bool { get }

    /// Whether this process knows which processes a notification has reached, and what waits for
    /// each, and notices by itself that one has gone. False by default, as with a server between
    /// the processes: then ``ping(_:within:)`` is called once a second for a process that owes an
    /// answer, and a post that nobody in this process hears is a dead letter, whatever
    /// ``send(_:)`` returns.
    var tracksDelivery: Bool { get }

    /// Whether the transport carries ``OutgoingNotification/keptAt``, so that observers in other
    /// processes can hear the latest value first. False by default: then values are kept in the
    /// process that posts them alone. The transport has to keep the order of what one process
    /// sends, and to call ``DistributedIntake/hasGone(_:)``, and, if a connection may break and come
    /// back, ``DistributedIntake/connectionIsBack()``.
    var sharesLatestValues: Bool { get }

    /// Whether the transport carries requests, by ``ask(_:)``. False by default: then they are
    /// asked in their process alone. The transport has to keep the order of what one process sends,
    /// and to call ``DistributedIntake/hasGone(_:)``.
    var carriesRequests: Bool { get }

    /// Whether the transport tells the intake of the groups of other processes, so that one member
    /// of all processes hears each notification. False by default: then each process has groups of
    /// its own. The transport has to keep the order of what one process sends, to tell the interests
    /// that ``DistributedIntake/takeInterestChanges()`` returns, all of them, to have all interests
    /// of a process in ``peers``, or ``ask(_:)`` of its own, which says what it keeps while a
    /// connection is broken (``DistributedAskResult/kept``), and to call
    /// ``DistributedIntake/hasCome(_:wanting:)``, ``DistributedIntake/hasChanged(_:_:isObserved:)``,
    /// ``DistributedIntake/isAway(_:)`` and ``DistributedIntake/hasGone(_:)``, and
    /// ``DistributedIntake/chooses(_:)`` for processes whose transport shares groups as well.
    var sharesGroups: Bool { get }

    /// Sends a request, which is a notification like others, as ``send(_:)`` does. The default
    /// finds the processes that observe its name and object among ``peers``.
    ///
    /// - Returns: The processes that it went to because they observe its name and object. Those
    ///   that observe any name or object do not belong to them. Also the processes for which it
    ///   waits, if the transport keeps what is sent while a connection is broken: the default knows
    ///   of none.
    /// - Throws: ``DistributedPostError`` if the notification can't be sent.
    func ask(_ notification: OutgoingNotification) throws -> DistributedAskResult

    /// Whether ``peers`` has all other processes of the domain. False by default: then a process is
    /// known once it has answered, and ``waitUntilReady(within:)`` asks for answers.
    var knowsPeers: Bool { get }

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
