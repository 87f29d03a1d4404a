// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation
internal import SwitchyardWire

// Frames that hearers write on this member's connections to them: the interests of the hearers.
extension Mesh {
    func take(_ bytes: UnsafeRawBufferPointer, from outlet: Outlet) throws {
        try outlet.splitter.take(bytes) { splitter, frame in
            var reader = ByteReader(frame)
            let type = try reader.readUInt8()
            let rest = UnsafeRawBufferPointer(rebasing: frame[1...])
            if !outlet.isGreeted {
                outlet.isGreeted = true
                let greeting = try readGreeting(frame)
                splitter.limit = WireFormat.longestFrame
                let peer = outlet.peer(from: greeting)
                update { _ in
                    outlet.peer = peer
                    outlet.mayPost = !greeting.postsNothing
                }
                intake?.hasCome(peer)
                return
            }
            switch FrameType(rawValue: type) {
            case .subscribe: try change(InterestFrame(rest), of: outlet, isObserved: true)
            case .unsubscribe: try change(InterestFrame(rest), of: outlet, isObserved: false)
            case .sync: sync(outlet, try reader.readUInt64())
            case .heard: if let heard = HeardCount(&reader) { resume(outlet, from: heard) }
            case .away:
                if let absence = try? reader.readUInt64() { reportAbsence(of: outlet, absence) }
            case .pong: take(answer: [], to: try reader.readUInt64(), on: outlet)
            case .report: try takeReport(rest, from: outlet)
            case .bye: throw PeerSaidBye(reason: try reader.shortString())
            default: try pass(over: type)
            }
        }
    }

    private func change(
        _ frame: InterestFrame, of outlet: Outlet, isObserved: Bool
    ) throws {
        let interest = DistributedInterest(frame)
        let isKnown = try state.withLock { state throws -> Bool in
            if isObserved {
                try outlet.wanted.insert(interest)
            } else {
                outlet.wanted.remove(interest)
            }
            if outlet.hasSaidWhatItWants { state.routes.forgetAll() }
            return outlet.hasSaidWhatItWants
        }
        // Until the list is complete, the peer is chosen for no group: posts for it are kept, and
        // a job would be kept as well, and given to another process.
        if isKnown, interest.isForGroups {
            intake?.hasChanged(outlet.address, interest, isThere: isObserved)
        }
    }

    /// Completes the list of what a peer wants, and answers SYNCED. Notifications go by that list
    /// from now on.
    private func sync(_ outlet: Outlet, _ number: UInt64) {
        // Both members accept each other now. A member that only accepts and then breaks off never
        // gets here, so the pauses before its redials grow.
        redials.end(outlet.address)
        reportedEnds.withLock { $0[outlet.address] = nil }
        var loss: DistributedLoss?
        var isBack = false
        // Read without the lock: this thread alone changes what the peer wants.
        let wanted = state.withLock { _ in outlet.hasSaidWhatItWants ? [] : outlet.wanted.all }
        let groups = GroupNews(wanted)
        update { state in
            if !outlet.hasSaidWhatItWants, !outlet.isClosed {
                outlet.hasSaidWhatItWants = true
                // Before SYNCED: then the peer takes its members of groups for known. Under the
                // mesh's lock, in the order of the news: the intake's lock of groups comes after
                // it, and no user's code runs under either.
                self.intake?.hasCome(outlet.address, with: groups)
                isBack =
                    outlet.hasToldAbsence
                    || state.backlogs[outlet.address]?.isForReturn == true
                state.routes.forgetAll()
                loss = self.decide(outlet, &state)
            }
            var frame = ByteWriter()
            frame.frame(.synced, number)
            frame.withBytes { self.write($0, to: outlet, &state) }
            self.sayFarewellIfLeaving(to: outlet, &state)
        }
        if let loss { intake?.report(loss) }
        if !isBack { return }
        returns.add()
        tellReturns()
    }

    /// Tells the center that connections are back, if it is time to.
    func tellReturns() { if returns.takeDue() { intake?.connectionIsBack() } }

    /// Reports for how many milliseconds a peer could not be found. The peer says so once, before
    /// SYNC.
    private func reportAbsence(of outlet: Outlet, _ milliseconds: UInt64) {
        let (peer, isExpected) = state.withLock { _ in
            defer { outlet.hasToldAbsence = true }
            return (outlet.knownPeer, !outlet.hasSaidWhatItWants && !outlet.hasToldAbsence)
        }
        if !isExpected { return }
        intake?.report(
            DeliveryProblem(
                .unreachable,
                "\(peer) could not be found for \(milliseconds) ms, because its socket was removed: it "
                    + "has not heard what was posted here in that time"))
    }

    /// Notes how many notifications a peer heard on the connection before this one.
    private func resume(_ outlet: Outlet, from heard: HeardCount) {
        state.withLock { state in
            if outlet.hasSaidWhatItWants { return }
            state.backlogs[outlet.address]?.resume(from: heard)
        }
    }

    /// Queues the notifications that a peer wants, out of those that were posted before it said
    /// what it wants.
    ///
    /// - Returns: The loss among these notifications, and with the connection before this one.
    private func decide(_ outlet: Outlet, _ state: inout MeshState) -> DistributedLoss? {
        guard let backlog = state.backlogs.removeValue(forKey: outlet.address) else { return nil }
        let lostBefore = backlog.lostWithConnection
        outlet.counts.nextSequence += lostBefore
        let wasEmpty = outlet.queue.isEmpty
        backlog.frames.withBytes { append($0, to: outlet) }
        // The lost notifications take the numbers behind those that were kept.
        let lost = backlog.lost(of: outlet.wanted)
        outlet.counts.nextSequence += lost
        outlet.counts.lost = lostBefore + lost
        outlet.counts.lostSinceTold = lostBefore + lost
        if lostBefore + lost > 0 { _ = tellLoss(of: outlet, &state) }
        if wasEmpty, !outlet.queue.isEmpty { handToWriter(outlet, &state.toWrite) }
        // The peer is told of what it does not know, and the user here of what was not reported.
        let unreported = backlog.unreportedWithConnection + lost
        guard let peer = outlet.peer, unreported > 0 else { return nil }
        return DistributedLoss(peer: peer, direction: .outgoing, count: unreported)
    }

    /// Appends those frames that a peer wants, with sequence numbers.
    private func append(_ frames: UnsafeRawBufferPointer, to outlet: Outlet) {
        var rest = frames
        while !rest.isEmpty {
            let end = rest.frameLength(at: 0)
            let frame = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if isWanted(frame, by: outlet) {
                outlet.queue.append(frame, sequence: outlet.counts.nextSequence)
                outlet.counts.nextSequence += 1
                outlet.counts.sent += 1
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
    }

    private func isWanted(_ frame: UnsafeRawBufferPointer, by outlet: Outlet) -> Bool {
        let body = UnsafeRawBufferPointer(rebasing: frame[WireFormat.lengthBytes...])
        guard let notification = try? NotificationFrame(body) else { return false }
        let name = String(
            decoding: notification.topic.prefix(notification.nameLength), as: UTF8.self)
        let object = String(
            decoding: notification.topic.dropFirst(notification.nameLength), as: UTF8.self)
        return outlet.wanted.match(name, notification.hasObject ? object : nil)
    }
}
