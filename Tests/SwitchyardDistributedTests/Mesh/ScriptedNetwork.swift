// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import SwitchyardCore
import SwitchyardDistributed
import SwitchyardWire

/// The network of one center. The test plays all of its peers, and writes their frames.
final class ScriptedNetwork: MeshNetwork {
    private struct State {
        var callers: [Int32] = []
        var ends: [String: ScriptedPeer] = [:]
        var dialled: [String] = []
        var acceptErrors: [Int32] = []
        var admitted: Set<String> = []
    }

    private let state = Guarded(State())
    /// A pipe with a byte for each caller, and so readable as a listener is.
    private let bell = Pipe()
    private let names: [String]
    /// The peers whose queue of connections is full.
    private let busy: [String]
    /// The errors with which connections to peers fail, by the peers' names.
    let refusals = Guarded<[String: Int32]>([:])
    /// True: the queues of all peers are full.
    let isBusy = Guarded(false)
    /// Called before the center writes. Nil lets the center write; a number is the outcome of the
    /// write. The center's lock is held, unless its writer writes.
    let onSend = Guarded<(@Sendable (_ descriptor: Int32) -> Int?)?>(nil)
    /// Called when the center asks who listens at an address.
    let onSearch = Guarded<(@Sendable (_ address: String) -> Int32)?>(nil)

    init(peers names: [String] = [], busy: [String] = []) {
        self.names = names
        self.busy = busy
    }

    /// Has the next connections refused with these errors.
    func fail(with errors: [Int32]) { state.withLock { $0.acceptErrors = errors } }

    /// Connects to the center.
    func call() -> ScriptedPeer {
        let (own, other) = Self.pair()
        state.withLock { $0.callers.append(other) }
        bell.fileHandleForWriting.write(Data([0]))
        return ScriptedPeer(own, other)
    }

    /// The peer to which the center has connected.
    func peer(_ name: String) -> ScriptedPeer? { state.withLock { $0.ends[name] } }

    /// Lets the center connect to a peer from now on.
    func admit(_ name: String) { state.withLock { _ = $0.admitted.insert(name) } }

    /// Lets the center connect to a peer once more, and forgets the connection before.
    func readmit(_ name: String) { state.withLock { $0.ends[name] = nil } }

    /// The names of the peers that the center wanted to connect to.
    var dialled: [String] { state.withLock { $0.dialled } }

    private static func pair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(switchyard_socket_pair(&ends) == 0, "out of file descriptors")
        return (ends[0], ends[1])
    }

    // MARK: - Requests of the center

    func listen(as address: String) -> Int32 { dup(bell.fileHandleForReading.fileDescriptor) }
    func publish(_ address: String) {}
    func withdraw(_ address: String) {}
    func addresses() -> [String] { names + busy }

    func connect(to address: String) -> Int32 {
        if busy.contains(address) || isBusy.withLock({ $0 }) {
            state.withLock { $0.dialled.append(address) }
            return -EAGAIN
        }
        if let error = refusals.withLock({ $0[address] }) {
            state.withLock { $0.dialled.append(address) }
            return -error
        }
        let (own, other) = Self.pair()
        return state.withLock { state in
            state.dialled.append(address)
            guard names.contains(address) || state.admitted.contains(address),
                state.ends[address] == nil
            else {
                close(own)
                close(other)
                return -ECONNREFUSED
            }
            state.ends[address] = ScriptedPeer(own, other)
            return other
        }
    }

    func accept(from listener: Int32) -> Int32 {
        state.withLock { state in
            if state.callers.isEmpty { return -EAGAIN }
            if !state.acceptErrors.isEmpty { return state.acceptErrors.removeFirst() }
            var byte: UInt8 = 0
            _ = read(listener, &byte, 1)
            return state.callers.removeFirst()
        }
    }

    func process(behind descriptor: Int32) -> Int32 { 1 }

    func process(listeningAs address: String) -> Int32 { onSearch.withLock { $0 }?(address) ?? 0 }

    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        onSend.withLock { $0 }?(descriptor)
            ?? switchyard_socket_send(descriptor, bytes.baseAddress, bytes.count)
    }

    func receive(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Int {
        switchyard_socket_receive(descriptor, bytes.baseAddress, bytes.count)
    }
}

/// One end of a connection with a center.
final class ScriptedPeer: Sendable {
    private let descriptor: Int32
    /// The center's end; its own.
    let other: Int32

    init(_ descriptor: Int32, _ other: Int32) {
        self.descriptor = descriptor
        self.other = other
    }

    deinit { close(descriptor) }

    // MARK: - Writing

    /// Writes frames. False: the center no longer took them.
    @discardableResult
    func say(_ write: (inout ByteWriter) -> Void) -> Bool {
        var frames = ByteWriter()
        write(&frames)
        return frames.withBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = switchyard_socket_send(descriptor, rest.baseAddress, rest.count)
                if count == -Int(EAGAIN) {
                    guard waits(for: Int16(POLLOUT)) else { return false }
                } else if count < 0 {
                    return false
                } else {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
            return true
        }
    }

    func greet(id: PeerID = .random(), address: String = "") {
        let greeting = Greeting(
            id: id, process: 1, processName: "scripted", address: address, domain: "scripted")
        say { greeting.write(to: &$0) }
    }

    // MARK: - Reading

    /// The type and the body of the next frame; nil when the connection has ended, or nothing
    /// comes.
    func hear() -> (type: FrameType, body: [UInt8])? {
        guard let head = hear(WireFormat.lengthBytes) else { return nil }
        let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard let frame = hear(length), let type = FrameType(rawValue: frame[0]) else { return nil }
        return (type, Array(frame.dropFirst()))
    }

    /// The next frame of a type, or a goodbye.
    func hear(until type: FrameType) -> (type: FrameType, body: [UInt8])? {
        while let frame = hear() {
            if frame.type == type || frame.type == .bye { return frame }
        }
        return nil
    }

    /// The next frame of a wanted type.
    func hear(where isWanted: (FrameType) -> Bool) -> (type: FrameType, body: [UInt8])? {
        while let frame = hear() {
            if isWanted(frame.type) { return frame }
        }
        return nil
    }

    /// The types and the bodies of all frames that come until the connection ends.
    func hearAll() -> [(type: FrameType, body: [UInt8])] {
        var frames: [(type: FrameType, body: [UInt8])] = []
        while let frame = hear() { frames.append(frame) }
        return frames
    }

    /// Ends the connection.
    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads the bytes that have come, and drops them.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) {
            while switchyard_socket_receive(descriptor, $0.baseAddress, $0.count) > 0 {}
        }
    }

    private func hear(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var heard = 0
        while heard < count {
            let more = bytes.withUnsafeMutableBytes {
                switchyard_socket_receive(
                    descriptor, $0.baseAddress.map { $0 + heard }, count - heard)
            }
            if more == -Int(EAGAIN) {
                guard waits(for: Int16(POLLIN)) else { return nil }
            } else if more <= 0 {
                return nil
            } else {
                heard += more
            }
        }
        return bytes
    }

    /// Waits for events of the descriptor. The limit is longer than any test waits, unless it
    /// fails.
    private func waits(for events: Int16) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, 20_000) > 0
    }
}

extension ScriptedNetwork {
    /// A center on this network.
    func center(
        _ limits: DistributedLimits = DistributedLimits()
    ) throws -> DistributedNotificationCenter {
        let center = try DistributedNotificationCenter(
            domain: "scripted", network: self, limits: limits)
        center.onProblem { _ in }
        return center
    }
}
