// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Frames are read as they were written. A frame that is cut short or changed is an error at most.
@Suite("Frames, one by one") struct FrameTests {
    static let texts = ["", "A", "name", "Größe ✓ 👩‍👩‍👧", String(repeating: "n", count: 65_535)]

    private static func body(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        Array(Raw.bytes(write).dropFirst(WireFormat.lengthBytes + 1))
    }

    @Test func `Greetings come back as they were`() throws {
        for processName in Self.texts {
            for domain in Self.texts {
                let id = PeerID.random()
                var greeting = Greeting(
                    id: id, process: -1, processName: processName, address: id.description,
                    domain: domain)
                greeting.lowestVersion = 3
                greeting.highestVersion = 200
                greeting.postsNothing = domain.isEmpty
                let read = try Self.body { greeting.write(to: &$0) }
                    .withUnsafeBytes { try Greeting($0) }
                #expect(read == greeting)
                #expect(PeerID(hex: id.description) == id)
            }
        }
    }

    @Test func `Subscriptions come back as they were, any and empty apart`() throws {
        let choices = Self.texts.map { Optional($0) } + [nil]
        for name in choices {
            for object in choices {
                let interest = DistributedInterest(name: name, object: object)
                for isObserved in [true, false] {
                    let frame = Raw.bytes { interest.write(to: &$0, isObserved: isObserved) }
                    let type: FrameType = isObserved ? .subscribe : .unsubscribe
                    #expect(frame[4] == type.rawValue)
                    let read = try Array(frame[5...]).withUnsafeBytes {
                        try DistributedInterest(InterestFrame($0))
                    }
                    #expect(read == interest)
                }
            }
        }
    }

    @Test(arguments: [PayloadKind.none, .propertyList, .json, .bytes])
    func `Notifications come back as they were`(kind: PayloadKind) throws {
        for name in Self.texts {
            for object in Self.texts.map({ Optional($0) }) + [nil] {
                for payload in [[], [1], [UInt8](repeating: 7, count: 1_000)] as [[UInt8]] {
                    let frame = Raw.notification(
                        0x0102_0304_0506_0708, name: Array(name.utf8),
                        object: object.map { Array($0.utf8) }, kind: kind, payload: payload)
                    try Array(frame[4...]).withUnsafeBytes { bytes in
                        let read = try NotificationFrame(bytes)
                        #expect(read.kind == kind)
                        #expect(read.sequence == 0x0102_0304_0506_0708)
                        #expect(read.hasObject == (object != nil) && !read.isImmediate)
                        #expect(Array(read.payload) == payload)
                        #expect(
                            Array(read.topic.prefix(read.nameLength)) == Array(name.utf8))
                        #expect(
                            Array(read.topic.dropFirst(read.nameLength))
                                == Array((object ?? "").utf8))
                    }
                }
            }
        }
    }

    @Test func `A reason that is too long is cut to a text`() throws {
        for letter in ["x", "ö", "👩‍👩‍👧"] {
            for count in [0, 1, 10, 40_000, 70_000] {
                let frame = Self.body { $0.bye(String(repeating: letter, count: count)) }
                let reason = try frame.withUnsafeBytes { bytes in
                    var reader = ByteReader(bytes)
                    defer { #expect(reader.remaining == 0) }
                    return try reader.shortString()
                }
                #expect(reason.allSatisfy { "\($0)" == letter })
                #expect(reason.utf8.count <= 65_535)
                #expect(reason.count == count || reason.count < count && count > 2_000)
            }
        }
    }

    // MARK: - Damaged frames

    /// Reads a frame by the type that it gives.
    private static func read(_ frame: [UInt8]) throws {
        try frame.withUnsafeBytes { bytes in
            guard let type = bytes.first.flatMap({ FrameType(rawValue: $0) }) else { return }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[1...])
            var reader = ByteReader(rest)
            switch type {
            case .hello: _ = try Greeting(rest)
            case .bye: _ = try reader.shortString()
            case .subscribe, .unsubscribe: _ = try InterestFrame(rest)
            case .notification:
                let frame = try NotificationFrame(bytes)
                _ = try ReceivedTopics().find(frame)
                let payload = DistributedPayload(frame.kind, Array(frame.payload))
                _ = try? payload.userInfo
            case .report: _ = DistributedPeerStatus.read(Array(rest.dropFirst(8)))
            default: _ = try reader.readUInt64()
            }
        }
    }

    private static let samples: [[UInt8]] =
        FrameSplitterTests.stream.map { Array($0.dropFirst(4)) } + [report, list]

    private static let report: [UInt8] = {
        let peer = DistributedPeer(id: "id", processIdentifier: 1, processName: "p")
        let status = DistributedPeerStatus(peer: peer, interests: nil, sent: 7)
        return [FrameType.report.rawValue] + [UInt8](repeating: 0, count: 8)
            + DistributedPeerStatus.write([status])
    }()

    private static let list: [UInt8] = {
        let payload = try? DistributedPayload(userInfo: ["a": [1, 2.5, "x", ["b": true]]])
        return Array(
            Raw.notification(
                1, object: [0x78], kind: .propertyList, payload: payload?.bytes ?? []
            )
            .dropFirst(4))
    }()

    @Test(.rule(39)) func `Every frame cut short is an error, or a shorter payload`() throws {
        for sample in Self.samples {
            guard let type = FrameType(rawValue: sample[0]) else { continue }
            for length in 1..<sample.count {
                let frame = Array(sample[..<length])
                switch type {
                case .notification:
                    // The payload has no length of its own.
                    let head = 20 + 1 + (sample[1] & NotificationFrame.hasObject == 0 ? 0 : 1)
                    if length >= head { try Self.read(frame) } else { fails(frame) }
                case .report: try Self.read(frame)
                default: fails(frame)
                }
            }
        }
    }

    private func fails(_ frame: [UInt8]) {
        #expect(throws: (any Error).self, "\(frame)") { try Self.read(frame) }
    }

    @Test(.rule(39)) func `Every frame with any one byte changed is read, or an error`() {
        for sample in Self.samples {
            for place in sample.indices {
                for change in [1, 2, 4, 8, 16, 32, 64, 128, 255] as [UInt8] {
                    var frame = sample
                    frame[place] ^= change
                    // The reading has to return, and no more is asked.
                    try? Self.read(frame)
                }
            }
        }
    }
}
