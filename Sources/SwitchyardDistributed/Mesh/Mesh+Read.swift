// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Foundation
@_spi(Engine) internal import Switchyard
internal import Synchronization

// The thread that reads all connections. Handlers that hear where notifications arrive run here.
extension Mesh {
    /// How much is read at once.
    private static var readBytes: Int { 256 * 1024 }

    /// Reads until the mesh is stopped.
    func read() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.readBytes, alignment: 16)
        defer { buffer.deallocate() }
        while !hasStopped.load(ordering: .acquiring) {
            let wasPaused = isListenerPaused
            poller.wait(milliseconds: waitLimit) { token, _ in
                switch token {
                case Self.wakeToken: tellInterest()
                case Self.listenerToken: accept()
                default: read(from: token, into: buffer)
                }
            }
            if wasPaused { resumeListener() }
            for address in redials.takeDue() { connect(to: address) }
        }
    }

    /// There is one only while somebody is to be tried again.
    private var waitLimit: Int32 {
        let limit = redials.milliseconds
        if !isListenerPaused { return limit }
        return limit < 0 ? 100 : min(limit, 100)
    }

    private func read(from token: UInt64, into buffer: UnsafeMutableRawBufferPointer) {
        guard let connection = state.withLock({ $0.connections[token] }) else { return }
        let count = network.receive(into: buffer, from: connection.descriptor)
        if count == -Int(EAGAIN) { return }
        if count <= 0 { return hangUp(connection) }
        do {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            switch connection {
            case let inlet as Inlet: try take(bytes, from: inlet)
            case let outlet as Outlet: try take(bytes, from: outlet)
            default: break
            }
        } catch {
            refuse(connection, because: error)
        }
    }

    /// Closes a connection of which nothing comes any more.
    private func hangUp(_ connection: MeshConnection) {
        let (fault, peer) = state.withLock { _ in (connection.fault, connection.knownPeer) }
        if let fault {
            intake?.report(problem: "the connection to \(peer) was ended: \(fault)")
        }
        close(connection)
    }

    // MARK: - What those who post here say

    private func take(_ bytes: UnsafeRawBufferPointer, from inlet: Inlet) throws {
        try inlet.splitter.take(bytes) { splitter, frame in
            if frame[0] == FrameType.notification.rawValue, inlet.message != nil {
                try receive(frame, from: inlet)
            } else {
                try takeOther(frame, from: inlet, &splitter)
            }
        }
    }

    /// The last step of a notification's way between processes.
    @inline(__always)
    private func receive(_ frame: UnsafeRawBufferPointer, from inlet: Inlet) throws {
        let notification = try NotificationFrame(frame)
        let topic = try topics.find(notification)
        if notification.sequence != inlet.expected.load(ordering: .relaxed) {
            try skip(to: notification.sequence, inlet)
        }
        inlet.expected.store(notification.sequence &+ 1, ordering: .relaxed)
        guard let intake, !hasStopped.load(ordering: .relaxed),
            var message = inlet.message.take()
        else { return }
        message.lend(notification, topic)
        intake.deliver(message, isImmediate: notification.isImmediate)
        // Most are through with; somebody may have kept it, or waits for it in a mailbox.
        if !isKnownUniquelyReferenced(&message) || message.hasNotification {
            message.keepOwn()
            message = ReceivedMessage(sender: message.sender, message.topic, intake)
        }
        inlet.message = message
    }

    private func takeOther(
        _ frame: UnsafeRawBufferPointer, from inlet: Inlet, _ splitter: inout FrameSplitter
    ) throws {
        var reader = ByteReader(frame)
        let type = try reader.readUInt8()
        let rest = UnsafeRawBufferPointer(rebasing: frame[1...])
        guard inlet.message != nil else {
            if type == FrameType.bye.rawValue { throw WireError("it said goodbye") }
            guard type == FrameType.hello.rawValue else {
                throw WireError("a frame of type \(type) before a greeting")
            }
            try welcome(Greeting(rest), from: inlet)
            splitter.limit = WireFormat.longestFrame
            return
        }
        switch FrameType(rawValue: type) {
        case .lost: try skip(to: reader.readUInt64(), inlet)
        case .synced:
            let number = try reader.readUInt64()
            update { _ in inlet.synced = max(inlet.synced, number) }
        case .ping: answer(.pong, try reader.readUInt64(), to: inlet)
        case .status: reportStatus(try reader.readUInt64(), to: inlet)
        case .bye: throw PeerSaidBye(reason: try reader.shortString())
        default: try pass(over: type)
        }
    }

    /// Takes note that notifications are missing.
    private func skip(to sequence: UInt64, _ inlet: Inlet) throws {
        let expected = inlet.expected.load(ordering: .relaxed)
        guard sequence >= expected else {
            throw WireError("notification \(sequence) after notification \(expected &- 1)")
        }
        // Nobody posts so many; what is counted with it must not overflow.
        guard sequence <= UInt64(Int64.max) else {
            throw WireError("notification \(sequence), which nobody can have come to")
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
        if let refusal = greeting.refusal(by: self.greeting) { throw WireError(refusal) }
        // It is a file's name, and is removed if nobody listens there.
        guard greeting.address.isEmpty || greeting.address == greeting.id.description else {
            throw WireError("its address is not its id")
        }
        guard greeting.id != self.greeting.id else { throw WireError("it has this process's id") }
        let peer = inlet.peer(from: greeting)
        guard let intake else { return }
        inlet.message = ReceivedMessage(
            sender: peer, ReceivedTopic(name: "", object: nil), intake)
        state.withLock { state in
            tellInterest(of: intake, &state)
            inlet.peer = peer
            inlet.isGreeted = true
            var frames = ByteWriter()
            self.greeting.write(to: &frames)
            for interest in intake.interests { interest.write(to: &frames, isObserved: true) }
            frames.frame(.sync, state.lastSync)
            frames.withBytes { write($0, to: inlet, &state) }
        }
        if !greeting.address.isEmpty { connect(to: greeting.address) }
    }

    // MARK: - What those who are posted to say

    private func take(_ bytes: UnsafeRawBufferPointer, from outlet: Outlet) throws {
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

    // MARK: - Both

    private func pass(over type: UInt8) throws {
        if type < FrameType.firstIgnorable { throw WireError("a frame of type \(type)") }
    }

    func answer(_ type: FrameType, _ number: UInt64, to connection: MeshConnection) {
        var frame = ByteWriter()
        frame.frame(type, number)
        state.withLock { state in
            frame.withBytes { write($0, to: connection, &state) }
        }
    }

    /// Changes the state, and then ends the waits for what has come true.
    func update(_ change: (inout MeshState) -> Void) {
        let done = state.withLock { state in
            change(&state)
            return state.takeDoneWaiters()
        }
        for waiter in done { waiter.finish([]) }
    }
}

/// A peer ended the connection, and said why.
struct PeerSaidBye: Error, CustomStringConvertible {
    let reason: String
    var description: String { "it ended the connection: \(reason)" }
}

extension MeshConnection {
    /// Who is at the other end: the number of the process is the kernel's, the rest its own words.
    func peer(from greeting: Greeting) -> DistributedPeer {
        DistributedPeer(
            id: greeting.id.description,
            processIdentifier: process != 0 ? process : greeting.process,
            processName: greeting.processName)
    }
}
