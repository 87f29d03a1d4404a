// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

// Leaving: queued notifications are written for as long as others take them, and each hearer learns
// the sequence number at which this member ends.
extension Mesh {
    /// Begins to leave: refuses further posts, and writes FAREWELL to each peer whose final
    /// sequence number is known. Both happen under one lock, so that FAREWELL counts every
    /// notification that comes behind it.
    func beginLeaving() {
        // The connections are the parent's, and the lock may be held by one of its threads.
        if isForked { return }
        state.withLock { state in
            if state.isLeaving { return }
            state.closeForPosts()
            for outlet in state.outlets.values { sayFarewellIfLeaving(to: outlet, &state) }
        }
    }

    /// Begins to leave, as ``beginLeaving()``, with the time that it may take.
    func beginDeparture(at now: ContinuousClock.Instant = .now) -> Departure {
        beginLeaving()
        return Departure(patience: patience, at: now)
    }

    /// Whether something waits for a peer that still takes what it gets, and time is left. Has to
    /// be asked again and again, because each call notes which peers took something.
    func mustWait(in departure: inout Departure, at now: ContinuousClock.Instant = .now) -> Bool {
        departure.mustWait(for: takenByThoseWaitedFor, at: now)
    }

    /// A number for each peer for which something waits, by address. The number changes whenever
    /// the peer takes something.
    private var takenByThoseWaitedFor: [String: UInt64] {
        state.withLock { state in
            var taken: [String: UInt64] = [:]
            for (address, backlog) in state.backlogs
            where backlog.isAwaited && !state.endedHere.contains(address)
                && (backlog.keepsPosts || backlog.isAskedForHeard)
            {
                taken[address] = 0
            }
            for outlet in state.outlets.values where outlet.queue.count > 0 {
                // Plus one, to differ from the backlog's 0: a peer that says what it wants has made
                // progress too.
                if outlet.hasSaidWhatItWants { taken[outlet.address] = outlet.counts.taken + 1 }
            }
            return taken
        }
    }

    /// Notes that another member of this process has taken all it will, and ends now. The members
    /// of one domain are each other's peers: one that ends right after this must not report what it
    /// sent this as lost.
    func endsBeside(_ other: Mesh) {
        if greeting.domain != other.greeting.domain { return }
        state.withLock { _ = $0.endedHere.insert(other.greeting.address) }
    }

    /// Writes FAREWELL with the final sequence number to a peer, if this member is leaving and the
    /// peer has not been told that number.
    ///
    /// Called when leaving begins, for a peer that is connected to later, and for a peer that says
    /// later what it wants. The frame is written ahead of queued notifications, so that a peer that
    /// is cut off knows how many are missing.
    func sayFarewellIfLeaving(to outlet: Outlet, _ state: inout MeshState) {
        guard state.isLeaving, !outlet.isClosed, state.knowsEnd(of: outlet),
            outlet.counts.farewell != outlet.counts.nextSequence
        else { return }
        outlet.counts.farewell = outlet.counts.nextSequence
        var frame = ByteWriter()
        frame.frame(.farewell, outlet.counts.nextSequence)
        frame.withBytes { write($0, to: outlet, &state) }
    }

    /// The remains of a member that has ended.
    struct Rest: Sendable {
        /// The notifications that were given up.
        var losses: [DistributedLoss]
        let connections: [MeshConnection]
        let waiters: [MeshWaiter]
        let questions: [Questions.Answer]
    }

    /// Writes the last frames, gives up what still waits, and closes all connections. All of this
    /// happens under one lock, so that neither a post nor the writer writes behind FAREWELL.
    func closeAll() -> Rest {
        // The writer has no batch in its hands during this turn.
        writer.takeTurn {
            state.withLock { state in
                state.closeForPosts()
                let losses = sayLastWords(state)
                return state.takeRest(losses)
            }
        }
    }

    /// Writes the last frames to all peers.
    ///
    /// - Returns: The notifications that were given up.
    private func sayLastWords(_ state: borrowing MeshState) -> [DistributedLoss] {
        let outlets = state.outlets.values.filter { !$0.isClosed }
        var losses: [DistributedLoss] = []
        for outlet in outlets.sorted(by: { $0.token < $1.token }) {
            if let loss = sayLastWord(to: outlet, state) { losses.append(loss) }
        }
        for (address, backlog) in state.backlogs
        where state.outlets[address] == nil && !state.endedHere.contains(address) {
            guard let loss = backlog.lossAtEnd(at: address) else { continue }
            if backlog.peer != nil || !hasGone(address, state) { losses.append(loss) }
        }
        return losses
    }

    /// Finishes the frame that is half written, and writes FAREWELL behind it, even if the
    /// connection takes no more.
    ///
    /// - Returns: What the peer loses; nil if that is nothing.
    private func sayLastWord(to outlet: Outlet, _ state: borrowing MeshState) -> DistributedLoss? {
        guard state.knowsEnd(of: outlet) else {
            let backlog = state.backlogs[outlet.address]
            if backlog?.peer == nil, hasGone(outlet.address, state) { return nil }
            return PeerBacklog.unknownLoss(of: outlet.knownPeer, backlog)
        }
        var lost = outlet.queue.notificationsThatWait(with: outlet.batch)
        var bytes = ByteWriter()
        let endsNotification = outlet.batch.appendRestOfFrame(behind: outlet.queue.left, to: &bytes)
        let rest = bytes.count
        if !outlet.queue.isEmpty || outlet.counts.farewell != outlet.counts.nextSequence {
            bytes.frame(.farewell, outlet.counts.nextSequence)
            let written = bytes.withBytes { writeAtLast($0, to: outlet) }
            if endsNotification, written >= rest, lost > 0 { lost -= 1 }
        }
        lost += outlet.counts.lostSinceTold
        if lost == 0 { return nil }
        return DistributedLoss(peer: outlet.knownPeer, direction: .outgoing, count: lost)
    }

    /// Whether a peer that never said what it observes has left the domain, and loses nothing: it was
    /// leaving when this member connected to it.
    private func hasGone(_ address: String, _ state: borrowing MeshState) -> Bool {
        !state.isHeard(address) && network.hasGone(address)
    }

    /// Writes to a connection whose buffer may be full: enlarges the buffer once in that case.
    ///
    /// - Returns: The number of bytes written.
    private func writeAtLast(_ bytes: UnsafeRawBufferPointer, to outlet: Outlet) -> Int {
        var written = 0
        var hasMadeRoom = false
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = network.send(rest, to: outlet.descriptor)
            if count > 0 {
                written += count
            } else if count == -Int(EAGAIN), !hasMadeRoom {
                hasMadeRoom = true
                switchyard_socket_make_room(outlet.descriptor, rest.count)
            } else {
                break
            }
        }
        return written
    }

    /// The outcome of a post that comes after this member has begun to leave.
    struct PostRefusal {
        /// The number of peers that would have got the notification.
        var dropped: Int
        /// Whether the problem hook has to be told.
        var isWorthReporting: Bool
    }

    /// Tells the problem hook of a refused post, once. Called under no lock, because the hook is
    /// the user's.
    func report(_ refusal: PostRefusal) -> DistributedSendResult {
        if refusal.isWorthReporting {
            intake?.report(
                problem:
                    "a notification was posted when this process, or its center, had begun to leave: "
                    + "neither it nor what is posted later goes to other processes. Post before that"
            )
        }
        return DistributedSendResult(dropped: refusal.dropped)
    }

    // MARK: - The hearer's side

    /// Determines what is missing when a poster's connection ends.
    ///
    /// - Returns: The loss; nil if nothing is missing, or if that is not known yet. A poster that
    ///   lives connects again, is told how many notifications came, and says what was lost.
    func settle(_ inlet: Inlet, _ state: inout MeshState) -> DistributedLoss? {
        // A poster with a newer connection says there what was lost on this one.
        guard inlet.hasPromise, !inlet.isSuperseded, let peer = inlet.peer, !state.isStopped
        else { return nil }
        let expected = inlet.expected.load(ordering: .relaxed)
        var missing: UInt64 = 0
        if let farewell = inlet.farewell {
            if farewell <= expected { return nil }
            missing = farewell - expected
        } else {
            guard let intake, intake.interest.hasToldObservers else { return nil }
        }
        let loss = DistributedLoss(peer: peer, direction: .incoming, count: missing)
        if state.outlets[peer.id] == nil, state.backlogs[peer.id] == nil { return loss }
        state.unsettled[peer.id] = loss
        return nil
    }
}

extension MeshState {
    /// Refuses all posts from now on: the sequence numbers at which this member ends are final.
    fileprivate mutating func closeForPosts() {
        isLeaving = true
        isMissed = isMissed || !outlets.isEmpty || !backlogs.isEmpty
    }

    /// Counts the peers that miss a post that comes after the member has begun to leave.
    mutating func refusePost(_ name: String, _ object: String?) -> Mesh.PostRefusal {
        let wanted = isStopped ? wantedAtEnd : wantedByPeers
        let dropped = wanted.count { $0.match(name, object) }
        // Answers of the center itself are nobody's post.
        let isUsers = !DistributedInterest(name: name, object: nil).isForCenters
        defer { hasRefusedPost = hasRefusedPost || isUsers }
        return Mesh.PostRefusal(
            dropped: dropped, isWorthReporting: isUsers && isMissed && !hasRefusedPost)
    }

    /// The interests of each peer that has told its interests.
    private var wantedByPeers: [WantedInterests] {
        outlets.values.filter(\.hasSaidWhatItWants).map(\.wanted)
    }

    /// Removes and returns everything that ends with the member.
    fileprivate mutating func takeRest(_ losses: [DistributedLoss]) -> Mesh.Rest {
        isStopped = true
        // Other threads may still post, at the end of an exit: dropped for these peers.
        wantedAtEnd = wantedByPeers
        let connections = Array(connections.values)
        for connection in connections { connection.isClosed = true }
        self.connections = [:]
        outlets = [:]
        inlets = [:]
        posters = [:]
        backlogs = [:]
        toWrite = []
        routes.forgetAll()
        defer { waits = [] }
        return Mesh.Rest(
            losses: losses, connections: connections, waiters: waits.map(\.waiter),
            questions: questions.takeAll())
    }

    /// Whether the final sequence number for a peer is known. It is not while notifications are
    /// kept until the peer says what it wants.
    fileprivate borrowing func knowsEnd(of outlet: Outlet) -> Bool {
        outlet.hasSaidWhatItWants || backlogs[outlet.address]?.isUnused ?? true
    }
}

extension PeerBacklog {
    /// Whether nothing was posted for the peer since it was first connected to.
    fileprivate var isUnused: Bool { !keepsPosts && lostInAll == 0 && hasSentNothing }

    /// Returns the loss of a peer that is not connected when this process ends; nil if it loses
    /// nothing.
    fileprivate func lossAtEnd(at address: String) -> DistributedLoss? {
        let isKnown = !keepsPosts && lostInAll == 0 && !isAskedForHeard
        if !isAwaited || isKnown && unreportedWithConnection == 0 { return nil }
        let peer = knownPeer(at: address)
        if !isKnown { return Self.unknownLoss(of: peer, self) }
        return DistributedLoss(peer: peer, direction: .outgoing, count: unreportedWithConnection)
    }

    /// Returns a loss of unknown size at the end of this process. Its reason depends on whether the
    /// peer had said what it observes, on a connection that broke.
    fileprivate static func unknownLoss(
        of peer: DistributedPeer, _ backlog: PeerBacklog?
    ) -> DistributedLoss {
        if backlog?.peer == nil {
            return DistributedLoss(peer: peer, direction: .outgoing, count: 0)
        }
        return DistributedLoss(
            peer: peer, direction: .outgoing, count: 0,
            reason: "the connection to it broke, and this process ended before it could go on with "
                + "a new one")
    }
}
