// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import SwitchyardCore

// Posting: find the route, write the frame once, give it to each peer.
extension Mesh {
    func send(_ notification: OutgoingNotification) -> DistributedSendResult {
        notification.payload.bytes.withUnsafeBytes { bytes in
            send(
                notification.name, notification.object, notification.payload.kind, bytes,
                isImmediate: notification.deliversImmediately)
        }
    }

    func send(
        _ name: String, _ object: String?, _ kind: PayloadKind, _ payload: UnsafeRawBufferPointer,
        isImmediate: Bool
    ) -> DistributedSendResult {
        if isForkedReported { return DistributedSendResult() }
        var result = DistributedSendResult()
        var trouble = Trouble()
        let hash = Routes.hash(name, object)
        let state = self.state.acquire()
        findRoute(name, object, hash, &state.pointee)._withUnsafeGuaranteedRef { route in
            if route.targets.isEmpty, state.pointee.backlogs.isEmpty { return }
            let flags =
                (object == nil ? 0 : NotificationFrame.hasObject)
                | (isImmediate ? NotificationFrame.isImmediate : 0)
            // Not what one large notification took, for ever.
            let keepsCapacity = state.pointee.scratch.capacity <= Self.much
            state.pointee.scratch.removeAll(keepingCapacity: keepsCapacity)
            route.topic.withUnsafeBytes { topic in
                state.pointee.scratch.appendNotification(
                    flags: flags, kind, topic: topic, nameLength: route.nameLength,
                    payload: payload)
            }
            deliver(along: route, &state.pointee, &result, &trouble)
        }
        self.state.release()
        for peer in trouble.newlyFull { reportFull(peer) }
        // Others may need this processor to read: what waits for them would only grow.
        if trouble.givesWay { sched_yield() }
        return result
    }

    /// What a post meets with when peers are slower than it.
    private struct Trouble {
        /// Peers for which as much waits as may, from this post on.
        var newlyFull: [DistributedPeer] = []
        /// Whether much waits for a peer that does read.
        var givesWay = false
    }

    /// So many bytes that wait are much.
    private static var much: Int { 512 * 1024 }

    @inline(__always)
    private func findRoute(
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

    /// Gives the frame in `scratch` to all that the route leads to, and keeps it for those of whom
    /// that is not known yet.
    private func deliver(
        along route: Route, _ state: inout MeshState, _ result: inout DistributedSendResult,
        _ trouble: inout Trouble
    ) {
        var mayWrite: Bool?
        var place: LogPlace?
        for target in route.targets {
            target._withUnsafeGuaranteedRef { outlet in
                if outlet.queue.isEmpty {
                    if mayWrite == nil { mayWrite = state.pace.mayWrite(route.targets.count) }
                    if mayWrite == true {
                        writeNotification(to: outlet, &state)
                        result.sent += 1
                        return
                    }
                }
                if enqueueNotification(to: outlet, at: &place, &state, &trouble) {
                    result.sent += 1
                } else {
                    result.dropped += 1
                }
            }
        }
        if !state.backlogs.isEmpty { keepInBacklogs(route, &state) }
        // To several, that takes longer than a burst pauses.
        if mayWrite == true, route.targets.count > 1 { state.pace.wrote() }
    }

    @inline(never)
    private func keepInBacklogs(_ route: Route, _ state: inout MeshState) {
        for backlog in state.backlogs.values {
            backlog.append(
                state.scratch, route.name, route.object, limit: limits.queueBytes)
        }
    }

    // MARK: One peer

    private func writeNotification(to outlet: Outlet, _ state: inout MeshState) {
        let sequence = outlet.counts.nextSequence
        outlet.counts.nextSequence += 1
        outlet.counts.sent += 1
        state.scratch.patch(sequence: sequence, at: WireFormat.sequenceOffset)
        state.scratch.withBytes { writeNow($0, to: outlet, &state.toWrite) }
    }

    /// Writes as much as the connection takes at once; the writer writes the rest. Only while nothing
    /// waits.
    private func writeNow(
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
        // What follows waits as well, to be counted when the connection is closed.
        if isBroken { return connection.breakOff() }
        handToWriter(connection, &toWrite)
    }

    /// Puts the frame in `scratch` behind what waits for a peer.
    ///
    /// - Parameter place: where it stands in the log; nil: nowhere yet.
    /// - Returns: Whether it, or something older for it, was not lost.
    private func enqueueNotification(
        to outlet: Outlet, at place: inout LogPlace?, _ state: inout MeshState,
        _ trouble: inout Trouble
    ) -> Bool {
        let sequence = outlet.counts.nextSequence
        outlet.counts.nextSequence += 1
        let size = state.scratch.count
        let waiting = outlet.queue.count
        if waiting > 0, outlet.counts.isOverflowing || waiting + size > limits.queueBytes {
            if !makeRoom(size, in: outlet, &trouble) { return false }
        }
        if waiting > Self.much, outlet.counts.hasMoved {
            outlet.counts.hasMoved = false
            trouble.givesWay = true
        }
        outlet.counts.sent += 1
        let wasEmpty = outlet.queue.isEmpty
        let logged = place ?? state.log.append(state.scratch)
        place = logged
        outlet.queue.append(logged, sequence: sequence)
        if wasEmpty { handToWriter(outlet, &state.toWrite) }
        return true
    }

    /// What happens when too much waits for a peer.
    ///
    /// - Returns: Whether there is room now.
    private func makeRoom(
        _ size: Int, in outlet: Outlet, _ trouble: inout Trouble
    ) -> Bool {
        if !outlet.counts.isOverflowing, let peer = outlet.peer { trouble.newlyFull.append(peer) }
        outlet.counts.isOverflowing = true
        guard limits.overflow != .dropNewest else {
            outlet.counts.lost += 1
            outlet.counts.lostSinceTold += 1
            return false
        }
        if outlet.queue.count + size <= limits.queueBytes { return true }
        var dropped: UInt64 = 0
        if limits.overflow == .keepLatest { dropped = outlet.queue.keepLatest() }
        // A good part at once: to look for room again and again would take its time.
        let excess = outlet.queue.count + max(size, limits.queueBytes / 16) - limits.queueBytes
        if excess > 0 { dropped += outlet.queue.dropOldest(excess) }
        outlet.counts.lost += dropped
        outlet.counts.lostSinceTold += dropped
        return true
    }

    private func reportFull(_ peer: DistributedPeer) {
        intake?.report(
            problem: "\(peer) does not read: \(limits.queueBytes) bytes wait for it, and "
                + Self.consequence(of: limits.overflow)
                + " until it does")
    }

    private static func consequence(of overflow: DistributedLimits.Overflow) -> String {
        switch overflow {
        case .dropNewest: "what is posted is not kept for it"
        case .dropOldest: "the oldest of them are given up"
        case .keepLatest: "of one name and object, only the last is kept for it"
        }
    }

    // MARK: Other frames

    /// Writes a frame about the connection itself, ahead of notifications that wait.
    func write(
        _ frame: UnsafeRawBufferPointer, to connection: MeshConnection, _ state: inout MeshState
    ) {
        if connection.isClosed { return }
        if connection.queue.isEmpty {
            writeNow(frame, to: connection, &state.toWrite)
        } else if connection.queue.controlCount > max(limits.queueBytes, 1 << 20) {
            // It asks and does not read the answers, or has not read for long what is observed here.
            // Should it go on, it connects anew, and is told that from the beginning.
            connection.fault = "it does not read what it asked for, or what changes here"
            connection.breakOff()
        } else {
            connection.queue.appendControl(frame)
        }
    }

    func handToWriter(_ connection: MeshConnection, _ toWrite: inout [MeshConnection]) {
        toWrite.append(connection)
        if toWrite.count == 1 { writer.wake(for: self) }
    }

    /// Whether this is a child without connections, in which case the problem hook is told. Their
    /// numbers may be those of other files here.
    var isForkedReported: Bool {
        if !isForked { return false }
        intake?.report(problem: Self.forkAdvice)
        return true
    }

    private static var forkAdvice: String {
        "this process was forked from the one that made the center, and has none of its connections: "
            + "a child has to call exec, or to make a center of its own"
    }
}
