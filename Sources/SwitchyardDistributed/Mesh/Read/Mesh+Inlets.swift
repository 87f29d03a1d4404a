// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import Switchyard
internal import SwitchyardCore
internal import SwitchyardWire
internal import Synchronization

// Frames that posters write on their connections to this member: mainly notifications.
extension Mesh {
    func take(_ bytes: UnsafeRawBufferPointer, from inlet: Inlet) throws {
        guard let intake else { return }
        // The message is moved out of the inlet while the bytes are handled: each access to a
        // property would count references.
        var message = ReceivedMessage.none
        swap(&message, &inlet.message)
        var run = ReceivedRun(isFollowed: intake.followsAll)
        defer {
            run.end()
            swap(&message, &inlet.message)
        }
        try inlet.splitter.take(bytes) { splitter, frame in
            if frame[0] == FrameType.notification.rawValue, inlet.isWelcome {
                try receive(frame, from: inlet, &message, &run, intake)
            } else if inlet.isWelcome {
                try takeOther(frame, from: inlet)
            } else {
                try takeGreeting(frame, from: inlet)
                splitter.limit = WireFormat.longestFrame
                swap(&message, &inlet.message)
            }
        }
    }

    /// Receives one notification: the last step of its way between processes.
    @inline(__always)
    private func receive(
        _ frame: UnsafeRawBufferPointer, from inlet: Inlet, _ message: inout ReceivedMessage,
        _ run: inout ReceivedRun, _ intake: DistributedIntake
    ) throws {
        let notification = try NotificationFrame(frame)
        let topic = try topics.find(notification)
        let isNext = notification.sequence == inlet.expected.load(ordering: .relaxed)
        if !isNext || Int64(bitPattern: notification.sequence) < 0 {
            try skip(to: notification.sequence, inlet)
        }
        inlet.expected.store(notification.sequence &+ 1, ordering: .relaxed)
        if hasStopped.load(ordering: .relaxed) { return }
        if notification.isKept {
            run.end()
            return try receiveKept(notification, topic, from: inlet, message.sender, intake)
        }
        message.lend(
            notification.payload, notification.kind, topic, sequence: notification.sequence,
            isImmediate: notification.isImmediate)
        if TraceSampling.isOn || inlet.hasContext || run.isFollowed {
            run.end()
            let context = inlet.takeContext(of: notification.sequence)
            trace(notification, topic, from: inlet, message.sender, intake) {
                intake.bringing(context) { intake.deliver(lent: &message, topic) }
            }
        } else {
            intake.deliver(lent: &message, topic, in: &run)
        }
    }

    /// Receives a notification that is kept for observers that come late.
    @inline(never)
    private func receiveKept(
        _ notification: NotificationFrame, _ topic: Unmanaged<ReceivedTopic>, from inlet: Inlet,
        _ sender: DistributedPeer, _ intake: DistributedIntake
    ) throws {
        var reader = ByteReader(notification.payload)
        let time = try reader.readUInt64()
        let payload = DistributedPayload(
            notification.kind, Array(notification.payload.dropFirst(8)))
        let context = inlet.takeContext(of: notification.sequence)
        trace(notification, topic, from: inlet, sender, intake) {
            intake.receive(
                payload, topic.takeUnretainedValue(), from: sender,
                sequence: notification.sequence, isImmediate: notification.isImmediate,
                context: context ?? [:], keptAt: time)
        }
    }

    /// Traces a notification's delivery in this process, if it is its turn.
    @inline(never)
    private func trace(
        _ notification: NotificationFrame, _ topic: Unmanaged<ReceivedTopic>, from inlet: Inlet,
        _ sender: DistributedPeer, _ intake: DistributedIntake, _ deliver: () -> Void
    ) {
        func passage() -> TracePassage {
            let connection =
                inlet.traceConnection
                ?? TracePassage.connection(sender.id, greeting.id.description)
            inlet.traceConnection = connection
            return TracePassage(
                connection: connection, process: sender.processIdentifier,
                sequence: notification.sequence)
        }
        intake.trace(topic, through: passage(), isTraced: notification.isTraced, deliver)
    }

    private func takeGreeting(_ frame: UnsafeRawBufferPointer, from inlet: Inlet) throws {
        try welcome(readGreeting(frame), from: inlet)
    }

    /// Reads the greeting with which a connection begins.
    func readGreeting(_ frame: UnsafeRawBufferPointer) throws -> Greeting {
        var reader = ByteReader(frame)
        let type = try reader.readUInt8()
        if type == FrameType.bye.rawValue { throw PeerSaidBye(reason: try reader.shortString()) }
        guard type == FrameType.hello.rawValue else {
            throw WireError("a frame of type \(type) before a greeting")
        }
        let greeting = try Greeting(UnsafeRawBufferPointer(rebasing: frame[1...]))
        if let refusal = greeting.refusal(by: self.greeting) { throw WireError(refusal.shown) }
        return greeting
    }

    private func takeOther(_ frame: UnsafeRawBufferPointer, from inlet: Inlet) throws {
        var reader = ByteReader(frame)
        let body = UnsafeRawBufferPointer(rebasing: frame[1...])
        let type = try reader.readUInt8()
        switch FrameType(rawValue: type) {
        case .lost: try skip(to: reader.readUInt64(), inlet)
        case .synced:
            let number = try reader.readUInt64()
            update { state in
                // Ignore a number that nobody asked for.
                if number <= state.lastSync { inlet.synced = max(inlet.synced, number) }
                // The poster knows by now what was lost before.
                if let peer = inlet.peer, !inlet.isSuperseded { state.heardBefore[peer.id] = nil }
            }
        case .ping: answer(.pong, try reader.readUInt64(), to: inlet)
        case .status: reportStatus(try reader.readUInt64(), to: inlet)
        case .bye: throw PeerSaidBye(reason: try reader.shortString())
        case .promise:
            if Farewell.isPromise(body) { inlet.hasPromise = true }
            if Farewell.isChoice(body), let peer = inlet.peer {
                inlet.chooses = true
                intake?.chooses(peer.id)
            }
        case .farewell:
            if inlet.hasPromise, let number = Farewell.number(body) {
                // Keep the largest number: a smaller one must not hide what is missing.
                inlet.farewell = max(number, inlet.farewell ?? 0)
            }
        case .connection:
            if let number = try? reader.readUInt64() {
                state.withLock { _ in inlet.number = number }
            }
        case .context: inlet.keep(ContextFrame(body))
        default: try pass(over: type)
        }
    }

    /// Counts the notifications that are missing before `sequence`, and reports them.
    private func skip(to sequence: UInt64, _ inlet: Inlet) throws {
        let expected = inlet.expected.load(ordering: .relaxed)
        guard sequence >= expected else {
            throw WireError("notification \(sequence) after notification \(expected &- 1)")
        }
        // No poster gets this far; larger numbers would overflow the counts made from them.
        guard sequence <= UInt64(Int64.max) else {
            throw WireError("sequence number \(sequence) is out of range")
        }
        let missed = sequence - expected
        inlet.expected.store(sequence, ordering: .relaxed)
        if missed == 0 { return }
        let peer = state.withLock { _ in
            inlet.missed += missed
            return inlet.peer
        }
        guard let peer else { return }
        intake?.report(DistributedLoss(peer: peer, direction: .incoming, count: missed))
    }

    private func welcome(_ greeting: Greeting, from inlet: Inlet) throws {
        // The address must be the id: it is used as a file name, and the file is removed if nobody
        // listens there.
        guard greeting.address.isEmpty || greeting.address == greeting.id.description else {
            throw WireError("its address is not its id")
        }
        guard greeting.id != self.greeting.id else { throw WireError("it has this process's id") }
        let peer = inlet.peer(from: greeting)
        guard let intake else { return }
        inlet.message = ReceivedMessage(
            sender: peer, ReceivedTopic(name: "", object: nil), intake.engine)
        inlet.isWelcome = true
        // Before the center is told that the peer has come: with the earlier connection of one that
        // has no address, the peer has gone.
        endEarlierConnection(of: peer)
        intake.hasCome(peer)
        tellAll(of: intake, to: inlet, peer)
        if !greeting.address.isEmpty { connect(to: greeting.address) }
    }

    /// Reads what a reconnecting peer has left on its earlier connection.
    ///
    /// The earlier connection may not have ended here yet: a child process that is just being
    /// started holds a copy of the other end's file for a moment.
    private func endEarlierConnection(of peer: DistributedPeer) {
        let earlier = state.withLock { state in
            state.inlets.values.first {
                $0.isGreeted && !$0.isSuperseded && $0.peer?.id == peer.id
            }
        }
        guard let earlier else { return }
        readRest(of: earlier)
        state.withLock { state in
            if earlier.isClosed { return }
            remember(earlier, &state)
            state.supersede(earlier)
        }
    }

    /// Reads what a member that has gone has left on its connection, so that its end comes behind
    /// that.
    func readLast(from address: String) {
        let last = state.withLock { $0.inlets.values.first { $0.peer?.id == address } }
        // Not in the middle of one of its frames.
        if let last, last.token != tokenInHand { readRest(of: last) }
    }

    private func readRest(of earlier: Inlet) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        // 256 reads cover what the system may have buffered, and keep a peer with a false id from
        // being read for ever.
        for _ in 0..<256 where !read(from: earlier.token, into: buffer) { return }
    }

    /// Writes what this member observes.
    ///
    /// - Returns: The version of the interests that were written.
    private static func write(_ interest: LocalInterest, to frames: inout ByteWriter) -> Int {
        let (interests, version) = interest.toldAndVersion
        frames.removeAll()
        for interest in interests { interest.write(to: &frames, isObserved: true) }
        return version
    }

    /// Tells a new peer what this member observes.
    private func tellAll(of intake: DistributedIntake, to inlet: Inlet, _ peer: DistributedPeer) {
        // Written without the lock, because there may be many interests. If they change meanwhile,
        // they are written again under the lock.
        var subscriptions = ByteWriter()
        let version = Self.write(intake.interest, to: &subscriptions)
        state.withLock { state in
            tellInterest(of: intake, &state)
            state.greet(inlet, by: peer)
            // The poster lives, and says itself what was lost with the connection before.
            state.unsettled[peer.id] = nil
            if intake.interest.version != version {
                _ = Self.write(intake.interest, to: &subscriptions)
            }
            var frames = ByteWriter()
            greeting.write(to: &frames)
            state.heardBefore[peer.id]?.write(to: &frames)
            if let absence = state.absences.removeValue(forKey: peer.id) {
                frames.frame(.away, absence)
            }
            subscriptions.withBytes { frames.append(bytes: $0) }
            frames.frame(.sync, state.lastSync)
            frames.withBytes { write($0, to: inlet, &state) }
        }
    }
}
