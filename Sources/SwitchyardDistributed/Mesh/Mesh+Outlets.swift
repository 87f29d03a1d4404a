// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

// What those to whom this member posts say on its connections: what they want to hear.
extension Mesh {
    func take(_ bytes: UnsafeRawBufferPointer, from outlet: Outlet) throws {
        try outlet.splitter.take(bytes) { splitter, frame in
            var reader = ByteReader(frame)
            let type = try reader.readUInt8()
            let rest = UnsafeRawBufferPointer(rebasing: frame[1...])
            if splitter.limit == WireFormat.longestGreeting {
                let greeting = try readGreeting(frame)
                splitter.limit = WireFormat.longestFrame
                update { _ in
                    outlet.peer = outlet.peer(from: greeting)
                    outlet.mayPost = !greeting.postsNothing
                }
                return
            }
            switch FrameType(rawValue: type) {
            case .subscribe: try change(DistributedInterest(rest), of: outlet, isObserved: true)
            case .unsubscribe: try change(DistributedInterest(rest), of: outlet, isObserved: false)
            case .sync: sync(outlet, try reader.readUInt64())
            case .heard: resume(outlet, from: try reader.readUInt64())
            case .pong: take(answer: [], to: try reader.readUInt64(), on: outlet)
            case .report: try takeReport(rest, from: outlet)
            case .bye: throw PeerSaidBye(reason: try reader.shortString())
            default: try pass(over: type)
            }
        }
    }

    private func change(
        _ interest: DistributedInterest, of outlet: Outlet, isObserved: Bool
    ) throws {
        try state.withLock { state throws -> Void in
            if isObserved {
                try outlet.wanted.insert(interest)
            } else {
                outlet.wanted.remove(interest)
            }
            if outlet.hasSaidWhatItWants { state.routes.forgetAll() }
        }
    }

    /// From now on, notifications go by what the peer wants; that is told to it.
    private func sync(_ outlet: Outlet, _ number: UInt64) {
        // Both have taken each other; one that lets this member in only to end it has its pauses grow.
        redials.forget(outlet.address)
        var loss: DistributedLoss?
        update { state in
            if !outlet.hasSaidWhatItWants, !outlet.isClosed {
                outlet.hasSaidWhatItWants = true
                state.routes.forgetAll()
                loss = self.decide(outlet, &state)
            }
            var frame = ByteWriter()
            frame.frame(.synced, number)
            frame.withBytes { self.write($0, to: outlet, &state) }
        }
        if let loss { intake?.report(loss) }
    }

    /// A peer says how much of what went to the connection before this one it has heard.
    private func resume(_ outlet: Outlet, from heard: UInt64) {
        state.withLock { state in
            if outlet.hasSaidWhatItWants { return }
            state.backlogs[outlet.address]?.resume(from: heard)
        }
    }

    /// Gives a peer what it wants of that which was posted before it said what that is.
    ///
    /// - Returns: What was lost of that, and with the connection before this one.
    private func decide(_ outlet: Outlet, _ state: inout MeshState) -> DistributedLoss? {
        guard let backlog = state.backlogs.removeValue(forKey: outlet.address) else { return nil }
        let lostBefore = backlog.lostWithConnection
        outlet.counts.nextSequence += lostBefore
        let wasEmpty = outlet.queue.isEmpty
        backlog.frames.withBytes { append($0, to: outlet) }
        // Behind these.
        let lost = backlog.lost(of: outlet.wanted)
        outlet.counts.nextSequence += lost
        outlet.counts.lost = lostBefore + lost
        outlet.counts.lostSinceTold = lostBefore + lost
        let loss = lostBefore + lost > 0 ? tellLoss(of: outlet, &state) : nil
        if wasEmpty, !outlet.queue.isEmpty { handToWriter(outlet, &state.toWrite) }
        return loss
    }

    /// Appends those frames that a peer wants, with numbers.
    private func append(_ frames: UnsafeRawBufferPointer, to outlet: Outlet) {
        var rest = frames
        while !rest.isEmpty {
            let end = OutQueue.frameLength(rest, at: 0)
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
