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
                if type == FrameType.bye.rawValue {
                    throw PeerSaidBye(reason: try reader.shortString())
                }
                guard type == FrameType.hello.rawValue else {
                    throw WireError("a frame of type \(type) before a greeting")
                }
                let greeting = try Greeting(rest)
                if let refusal = greeting.refusal(by: self.greeting) { throw WireError(refusal) }
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
                state.undecidedOutlets -= 1
                state.routes.forgetAll()
                loss = self.decide(outlet, &state)
            }
            var frame = ByteWriter()
            frame.frame(.synced, number)
            frame.withBytes { self.write($0, to: outlet, &state) }
        }
        if let loss { intake?.report(loss) }
    }

    /// Gives a peer what it wants of that which was posted before it said what that is.
    ///
    /// - Returns: What was lost of that.
    private func decide(_ outlet: Outlet, _ state: inout MeshState) -> DistributedLoss? {
        var kept = ByteWriter()
        swap(&kept, &outlet.undecided)
        if outlet.wanted.all.isEmpty {
            (outlet.counts.isOverflowing, outlet.counts.lostSinceTold, outlet.counts.lost) = (
                false, 0, 0
            )
        }
        let wasEmpty = outlet.queue.isEmpty
        kept.withBytes { bytes in
            var rest = bytes
            while rest.count > WireFormat.lengthBytes {
                let length = Int(UInt32(littleEndian: rest.loadUnaligned(as: UInt32.self)))
                let end = WireFormat.lengthBytes + length
                let frame = UnsafeRawBufferPointer(rebasing: rest[..<end])
                if isWanted(frame, by: outlet) {
                    outlet.queue.append(frame, sequence: outlet.counts.nextSequence)
                    outlet.counts.nextSequence += 1
                    outlet.counts.sent += 1
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            }
        }
        // Behind these; as an overflow that goes on it would cost what is posted from now on.
        outlet.counts.nextSequence += outlet.counts.lostSinceTold
        let loss = outlet.counts.isOverflowing ? tellLoss(of: outlet) : nil
        if wasEmpty, !outlet.queue.isEmpty { handToWriter(outlet, &state.toWrite) }
        return loss
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
