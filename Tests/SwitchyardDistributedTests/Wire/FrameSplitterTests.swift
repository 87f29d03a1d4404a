// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// The splitter cuts a stream into the same frames, in whatever pieces it comes.
@Suite("Frames from a stream") struct FrameSplitterTests {
    /// One frame of each type, and special ones: a frame of one byte, a long frame, a frame of a
    /// later type.
    static let stream: [[UInt8]] =
        [
            Raw.greeting("domain"),
            Raw.bytes { $0.bye("why") },
            Raw.bytes {
                DistributedInterest(name: "A", object: "x").write(to: &$0, isObserved: true)
            },
            Raw.bytes {
                DistributedInterest(name: nil, object: nil).write(to: &$0, isObserved: false)
            },
            Raw.notification(1),
            Raw.notification(2, object: Array("x".utf8), kind: .bytes, payload: [1, 2, 3]),
            Raw.notification(3, kind: .json, payload: [UInt8](repeating: 7, count: 300)),
            Raw.frame(200), Raw.frame(200, [1]),
        ]
        + [FrameType.sync, .synced, .lost, .ping, .pong, .status].map {
            Raw.frame($0, number: 0x0102_0304_0506_0708)
        }

    private static let bytes = stream.flatMap { $0 }
    private static let frames = stream.map { Array($0.dropFirst(WireFormat.lengthBytes)) }

    /// The frames that the splitter makes of these pieces.
    private static func split(
        _ pieces: [ArraySlice<UInt8>], limit: Int = WireFormat.longestFrame
    ) throws -> (frames: [[UInt8]], isInsideFrame: Bool) {
        var splitter = FrameSplitter(limit: limit)
        var frames: [[UInt8]] = []
        for piece in pieces {
            // Each piece has memory of its own, so that sanitizers find a read beyond it.
            try Array(piece).withUnsafeBytes { bytes in
                try splitter.take(bytes) { _, frame in frames.append(Array(frame)) }
            }
        }
        return (frames, splitter.isInsideFrame)
    }

    @Test func `A stream cut in two at any place gives the same frames`() throws {
        for place in 0...Self.bytes.count {
            let (frames, isInside) = try Self.split([
                Self.bytes[..<place], Self.bytes[place...],
            ])
            #expect(frames == Self.frames && !isInside, "cut at \(place)")
        }
    }

    @Test func `A stream cut in three at any two places gives the same frames`()
        throws
    {
        for place in 0..<Self.bytes.count {
            for length in 1...6 where place + length <= Self.bytes.count {
                let end = place + length
                let (frames, isInside) = try Self.split([
                    Self.bytes[..<place], Self.bytes[place..<end], Self.bytes[end...],
                ])
                #expect(frames == Self.frames && !isInside, "cut at \(place) and \(end)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 23, 24, 25, 100])
    func `A stream that drips in equal pieces gives the same frames`(length: Int) throws {
        let pieces = stride(from: 0, to: Self.bytes.count, by: length).map {
            Self.bytes[$0..<min($0 + length, Self.bytes.count)]
        }
        let (frames, isInside) = try Self.split(pieces)
        #expect(frames == Self.frames && !isInside)
    }

    @Test func `Each frame comes out with its last byte, and not before`() throws {
        var splitter = FrameSplitter(limit: WireFormat.longestFrame)
        for (index, frame) in Self.stream.enumerated() {
            for (place, byte) in frame.enumerated() {
                var heard: [[UInt8]] = []
                try withUnsafeBytes(of: byte) { bytes in
                    try splitter.take(bytes) { _, frame in heard.append(Array(frame)) }
                }
                let isLast = place == frame.count - 1
                #expect(heard == (isLast ? [Self.frames[index]] : []))
                #expect(splitter.isInsideFrame == !isLast)
            }
        }
    }

    @Test func `A length that is not allowed throws, in whatever pieces, before any of the frame`()
    {
        let limit = 10
        for bad in [[0, 0, 0, 0], [11, 0, 0, 0], [0xff, 0xff, 0xff, 0xff]] as [[UInt8]] {
            let bytes = Raw.frame(99, [1, 2]) + bad
            for place in 0...bytes.count {
                #expect(throws: WireError.self) {
                    try Self.split([bytes[..<place], bytes[place...]], limit: limit)
                }
            }
        }
        #expect(throws: Never.self) {
            try Self.split([Raw.frame(99, [UInt8](repeating: 0, count: 9))[...]], limit: limit)
        }
    }

    @Test func `A frame may change how long the next may be, in one piece or in many`() throws {
        let bytes = Raw.frame(1, [1, 2, 3]) + Raw.frame(2, [UInt8](repeating: 7, count: 50))
        for length in 1...bytes.count {
            var splitter = FrameSplitter(limit: 10)
            var frames: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                let piece = Array(bytes[start..<min(start + length, bytes.count)])
                try piece.withUnsafeBytes { bytes in
                    try splitter.take(bytes) { splitter, frame in
                        splitter.limit = 100
                        frames.append(Array(frame))
                    }
                }
            }
            #expect(frames.map(\.count) == [4, 51])
        }
    }

    @Test func `A reader that throws at a frame gets no later one`() {
        struct Enough: Error {}
        for place in 0...Self.bytes.count {
            var splitter = FrameSplitter(limit: WireFormat.longestFrame)
            var count = 0
            #expect(throws: Enough.self) {
                for piece in [Array(Self.bytes[..<place]), Array(Self.bytes[place...])] {
                    try piece.withUnsafeBytes { bytes in
                        try splitter.take(bytes) { _, _ in
                            count += 1
                            if count == 5 { throw Enough() }
                        }
                    }
                }
            }
            #expect(count == 5)
        }
    }
}
