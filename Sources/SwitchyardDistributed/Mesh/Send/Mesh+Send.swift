// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore
internal import SwitchyardWire

// Posting: find the route, write the frame once, give it to each peer.
extension Mesh {
    /// Posts a notification of which the parts are known.
    ///
    /// - Parameters:
    ///   - payload: the payload's bytes, behind those of the time of the post if it is kept for
    ///     observers that come late.
    ///   - look: called under the lock for each peer that wants the notification, or that has not
    ///     said what it wants.
    func post(
        _ topic: Topic, _ object: String?, _ kind: PayloadKind, _ payload: UnsafeRawBufferPointer,
        isImmediate: Bool, isKept: Bool = false, context: [String: String]? = nil,
        _ look: ((PostFate) -> Void)? = nil
    ) -> DistributedSendResult {
        if isForkedReported { return DistributedSendResult() }
        var result = DistributedSendResult()
        var trouble = Trouble()
        let name = topic.name
        let hash = Routes.hash(topic, object)
        let state = self.state.acquire()
        if state.pointee.isLeaving {
            let refusal = state.pointee.refusePost(name, object)
            self.state.release()
            return report(refusal)
        }
        findRoute(name, object, hash, &state.pointee)._withUnsafeGuaranteedRef { route in
            if route.targets.isEmpty, state.pointee.backlogs.isEmpty { return }
            let isTraced = TraceCrossing.isLeaving
            let flags =
                (object == nil ? 0 : NotificationFrame.hasObject)
                | (isImmediate ? NotificationFrame.isImmediate : 0)
                | (isTraced ? NotificationFrame.isTraced : 0)
                | (isKept ? NotificationFrame.isKept : 0)
            // Don't keep the memory of one large notification for ever.
            let keepsCapacity = state.pointee.scratch.capacity <= Outlet.much
            state.pointee.scratch.removeAll(keepingCapacity: keepsCapacity)
            route.topic.withUnsafeBytes { topic in
                state.pointee.scratch.appendNotification(
                    flags: flags, kind, topic: topic, nameLength: route.nameLength,
                    payload: payload)
            }
            deliver(
                along: route, isTraced: isTraced, context, look, &state.pointee, &result, &trouble)
        }
        self.state.release()
        for peer in trouble.newlyFull { reportFull(peer) }
        if trouble.givesWay { giveWay(pauses: trouble.pauses) }
        return result
    }

    /// The problems that a post meets when peers are slower than it.
    private struct Trouble {
        /// The peers whose queues became full with this post.
        var newlyFull: [DistributedPeer] = []
        /// Whether much waits for a peer that does read, so that the posting thread gives way.
        var givesWay = false
        /// Whether it does so by a pause.
        var pauses = false
    }

    /// Lets the readers have this processor; without it, their queues would only grow.
    ///
    /// - Parameter pauses: whether by a pause, which is better than a yield for one reader, because
    ///   the frames that wait stay in the processor's cache, and in memory that was used before; and
    ///   for several whose queues are filling up. Otherwise several readers keep the processors busy
    ///   without one.
    @inline(never)
    private func giveWay(pauses: Bool) {
        if !pauses {
            sched_yield()
            return
        }
        usleep(Self.pause)
        // The pause is part of the burst.
        state.withLock { $0.pace.wrote() }
    }

    /// Microseconds.
    private static var pause: UInt32 { 200 }

    @inline(__always)
    func findRoute(
        _ name: String, _ object: String?, _ hash: UInt, _ state: inout MeshState
    ) -> Unmanaged<Route> {
        state.routes.find(name, object, hash: hash) ?? makeRoute(name, object, hash, &state)
    }

    @inline(never)
    private func makeRoute(
        _ name: String, _ object: String?, _ hash: UInt, _ state: inout MeshState
    ) -> Unmanaged<Route> {
        let targets = state.outlets.values.filter {
            $0.hasSaidWhatItWants && $0.wanted.match(name, object)
        }
        let route = Route(
            name: name, object: object, targets: targets.map { .passUnretained($0) })
        return state.routes.store(route, hash: hash)
    }

    /// Gives the frame in `scratch` to all targets of the route, and keeps it for peers that have
    /// not said yet what they want.
    @inline(__always)
    private func deliver(
        along route: Route, isTraced: Bool, _ context: [String: String]?,
        _ look: ((PostFate) -> Void)?, _ state: inout MeshState,
        _ result: inout DistributedSendResult, _ trouble: inout Trouble
    ) {
        var position: LogPosition?
        var index = 0
        // In a burst, most notifications only stand in line at all peers.
        if context == nil, look == nil, !isTraced {
            let size = state.scratch.count
            while index < route.targets.count {
                let isQueued = route.targets[index]._withUnsafeGuaranteedRef { outlet in
                    let isInTurn = outlet.isInTurn(for: size, below: limits.queueBytes)
                    if isInTurn { enqueueInTurn(to: outlet, at: &position, &state) }
                    return isInTurn
                }
                if !isQueued { break }
                index &+= 1
            }
            result.sent &+= index
        }
        if index < route.targets.count {
            deliver(
                toTargetsFrom: index, of: route, isTraced: isTraced, context, look, at: &position,
                &state, &result, &trouble)
        }
        if !state.backlogs.isEmpty { keepInBacklogs(route, look, &state) }
    }

    /// Gives the frame in `scratch` to the targets from an index on.
    @inline(never)
    private func deliver(
        toTargetsFrom first: Int, of route: Route, isTraced: Bool, _ context: [String: String]?,
        _ look: ((PostFate) -> Void)?, at position: inout LogPosition?, _ state: inout MeshState,
        _ result: inout DistributedSendResult, _ trouble: inout Trouble
    ) {
        var mayWrite: Bool?
        let count = route.targets.count
        for target in route.targets[first...] {
            target._withUnsafeGuaranteedRef { outlet in
                if outlet.queue.isEmpty, mayWrite == nil { mayWrite = state.pace.mayWrite(count) }
                if let context {
                    send(context, to: outlet, mayWrite: mayWrite == true, &state)
                }
                var isSent = true
                if outlet.queue.isEmpty, mayWrite == true {
                    writeNotification(to: outlet, &state)
                } else {
                    isSent = enqueueNotification(
                        to: outlet, isOnly: count == 1, at: &position, &state, &trouble)
                }
                if isSent { result.sent += 1 } else { result.dropped += 1 }
                if isSent, isTraced { trace(to: outlet) }
                look?(isSent ? .sent(outlet) : .dropped(outlet))
            }
        }
        // Writing to several peers takes longer than the pause that ends a burst, so note when it
        // was done.
        if mayWrite == true, count > 1 { state.pace.wrote() }
    }

    @inline(never)
    private func keepInBacklogs(
        _ route: Route, _ look: ((PostFate) -> Void)?, _ state: inout MeshState
    ) {
        let isQuestion =
            route.name == CenterNames.questions && LatestFrame.isQuestion(state.scratch)
        for (address, backlog) in state.backlogs {
            // The sender of a notification for this very peer learns that there is no room.
            let isForPeer = look != nil && route.object == address
            let isKept = backlog.append(
                state.scratch, route.name, route.object, limit: limits.queueBytes,
                isQuestion: isQuestion, countsLoss: !isForPeer && !isQuestion)
            if isKept {
                look?(.kept(address))
            } else if isForPeer {
                look?(.refused)
            }
        }
    }

    // MARK: One peer

    /// Writes down that the notification with the last number was sent to a peer.
    @inline(never)
    private func trace(to outlet: Outlet) {
        let connection =
            outlet.traceConnection
            ?? TracePassage.connection(greeting.id.description, outlet.address)
        outlet.traceConnection = connection
        TraceCrossing.sent(
            through: TracePassage(
                connection: connection, process: outlet.process,
                sequence: outlet.counts.nextSequence &- 1))
    }

    private func writeNotification(to outlet: Outlet, _ state: inout MeshState) {
        let sequence = outlet.counts.nextSequence
        outlet.counts.nextSequence += 1
        outlet.counts.sent += 1
        state.scratch.patch(sequence: sequence, at: WireFormat.sequenceOffset)
        state.scratch.withBytes { writeNow($0, to: outlet, &state.toWrite) }
    }

    /// Writes as many bytes as the connection takes at once, and leaves the rest to the writer.
    /// Only while the connection's queue is empty.
    func writeNow(
        _ bytes: UnsafeRawBufferPointer, to connection: MeshConnection,
        _ toWrite: inout [MeshConnection]
    ) {
        let written = network.send(bytes, to: connection.descriptor)
        if written == bytes.count { return }
        let isBroken = written < 0 && written != -Int(EAGAIN)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[max(0, written)...])
        connection.queue.startLeaving(
            with: rest,
            ofNotification: bytes[WireFormat.lengthBytes] == FrameType.notification.rawValue,
            in: &connection.batch)
        // After a break, keep the rest and queue what follows: it is counted as lost when the
        // connection is closed.
        if isBroken { return connection.breakOff() }
        handToWriter(connection, &toWrite)
    }

    /// Appends the frame in `scratch` to a peer's queue, which needs nothing else.
    @inline(__always)
    private func enqueueInTurn(
        to outlet: Outlet, at position: inout LogPosition?, _ state: inout MeshState
    ) {
        let sequence = outlet.counts.nextSequence
        let logged = position ?? log(sequence, &state)
        position = logged
        outlet.append(logged, sequence)
    }

    /// Appends the frame in `scratch` to the log.
    @inline(__always)
    private func log(_ sequence: UInt64, _ state: inout MeshState) -> LogPosition {
        state.scratch.patch(sequence: sequence, at: WireFormat.sequenceOffset)
        return state.log.append(state.scratch, sequence: sequence)
    }

    /// Appends the frame in `scratch` to a peer's queue.
    ///
    /// - Parameters:
    ///   - isOnly: Whether the notification goes to no other peer.
    ///   - position: The frame's position in the log; nil if it is not in the log yet.
    /// - Returns: Whether the frame was queued. Older ones may have been dropped to make room for
    ///   it.
    private func enqueueNotification(
        to outlet: Outlet, isOnly: Bool, at position: inout LogPosition?,
        _ state: inout MeshState, _ trouble: inout Trouble
    ) -> Bool {
        let sequence = outlet.counts.nextSequence
        outlet.counts.nextSequence += 1
        let size = state.scratch.count
        let waiting = outlet.queue.count
        if waiting > 0, outlet.counts.isOverflowing || waiting + size > limits.queueBytes {
            if !makeRoom(for: state.scratch, in: outlet, &trouble.newlyFull) { return false }
        }
        if waiting > Outlet.much, outlet.counts.hasMoved {
            outlet.counts.hasMoved = false
            trouble.givesWay = true
            // A queue that is filling up keeps its reader busy whatever the others do.
            if isOnly || waiting > limits.queueBytes / 8 { trouble.pauses = true }
        }
        outlet.counts.sent += 1
        let wasEmpty = outlet.queue.isEmpty
        let logged = position ?? log(sequence, &state)
        position = logged
        if outlet.counts.undroppable != .max,
            !state.scratch.withBytes({ OutQueue.isForCenters($0, at: 0) })
        {
            outlet.counts.undroppable = .max
        }
        outlet.queue.append(logged, sequence: sequence)
        if wasEmpty { handToWriter(outlet, &state.toWrite) }
        return true
    }
}
