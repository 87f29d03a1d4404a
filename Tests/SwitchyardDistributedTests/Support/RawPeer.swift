// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import CSwitchyard
import Foundation
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// A connection to a member, or from a member, over which a test sends any bytes. Its functions
/// block, for ten seconds at most.
final class RawPeer: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a socket in a folder.
    static func connect(to path: String) throws -> RawPeer {
        let url = URL(fileURLWithPath: path)
        let descriptor = switchyard_socket_connect(
            -1, url.deletingLastPathComponent().path, url.lastPathComponent)
        if descriptor < 0 {
            throw MemberFailure("\(path): \(DistributedCenterError.text(for: descriptor))")
        }
        return RawPeer(descriptor)
    }

    // MARK: - Sending

    /// Sends all bytes, or as many as the other end takes in ten seconds.
    ///
    /// - Returns: Whether all bytes were sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                switchyard_socket_send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
            }
            if count >= 0 {
                sent += count
            } else if count != -Int(EAGAIN) || !wait(for: POLLOUT) {
                return false
            }
        }
        return true
    }

    private func wait(for event: Int32, milliseconds: Int32 = 10_000) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    // MARK: - Hearing

    /// The bytes that come until the other end hangs up; nil if it does not.
    func heardUntilEnd() -> [UInt8]? {
        var heard: [UInt8] = []
        while wait(for: POLLIN) {
            guard let bytes = receive() else { return heard }
            heard += bytes
        }
        return nil
    }

    /// The frames that come until one is of this type.
    func frames(until type: FrameType) -> [[UInt8]] {
        var heard: [UInt8] = []
        while true {
            let frames = Self.frames(heard)
            if frames.contains(where: { $0.first == type.rawValue }) { return frames }
            guard wait(for: POLLIN), let bytes = receive() else { return frames }
            heard += bytes
        }
    }

    private func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { bytes in
            switchyard_socket_receive(descriptor, bytes.baseAddress, bytes.count)
        }
        if count == -Int(EAGAIN) { return [] }
        return count <= 0 ? nil : Array(bytes[..<count])
    }

    /// Whole frames, without their lengths.
    static func frames(_ bytes: [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            if rest.count < 4 + length { break }
            frames.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return frames
    }

    /// The reason for which the other end ended the connection.
    static func farewell(in bytes: [UInt8]?) -> String? {
        guard let bytes, let last = frames(bytes).last, last.first == FrameType.bye.rawValue else {
            return nil
        }
        return String(decoding: last.dropFirst(3), as: UTF8.self)
    }
}

/// Bytes that peers send.
enum Raw {
    static func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return writer.withBytes { Array($0) }
    }

    static func greeting(
        _ domain: String, id: PeerID = .random(), address: String? = "",
        change: (inout Greeting) -> Void = { _ in }
    ) -> [UInt8] {
        var greeting = Greeting(
            id: id, process: getpid(), processName: "raw", address: address ?? id.description,
            domain: domain)
        change(&greeting)
        return bytes { greeting.write(to: &$0) }
    }

    static func frame(_ type: UInt8, _ body: [UInt8] = []) -> [UInt8] {
        let length = UInt32(body.count + 1)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + [type] + body
    }

    static func frame(_ type: FrameType, number: UInt64) -> [UInt8] {
        bytes { $0.frame(type, number) }
    }

    static func notification(
        _ sequence: UInt64, name: [UInt8] = Array("A".utf8), object: [UInt8]? = nil,
        kind: PayloadKind = .none, payload: [UInt8] = []
    ) -> [UInt8] {
        var frame = bytes { writer in
            (name + (object ?? [])).withUnsafeBytes { topic in
                payload.withUnsafeBytes { payload in
                    writer.appendNotification(
                        flags: object == nil ? 0 : NotificationFrame.hasObject, kind, topic: topic,
                        nameLength: name.count, payload: payload)
                }
            }
        }
        for (index, byte) in withUnsafeBytes(of: sequence.littleEndian, Array.init).enumerated() {
            frame[WireFormat.sequenceOffset + index] = byte
        }
        return frame
    }
}

extension PeerID {
    /// Reads an identifier of 32 hexadecimal digits.
    init?(hex: String) {
        var bytes: [UInt8] = []
        var rest = hex[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard bytes.count == PeerID.size else { return nil }
        self = bytes.withUnsafeBytes { PeerID($0) }
    }
}
