// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// What a child is told to do.
struct Order {
    enum Kind: Int64 {
        // Of the poster.
        case roundTrips = 1
        case post
        case postPaced
        // Of receivers: these say when they are about to.
        case echo
        case receive
        case receiveTimed
    }

    let kind: Int64
    let round: Int64
    let count: Int64
}

/// What a child says.
struct Reply {
    /// When it is about to do what it was told to; everything else is what came of that.
    static let ready = Reply(first: -1, second: -1)

    /// Of the poster, when it began, or the median of the round trips; of receivers, how many
    /// messages they got.
    let first: Int64
    /// Of receivers, when the last one came, or the median of the ages.
    let second: Int64

    var isReady: Bool { first == Self.ready.first }
}

/// One end of the channel between a child and who started it.
struct ControlChannel {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Sends a value to the same program; false when nobody is there.
    func send<Value: BitwiseCopyable>(_ value: Value) -> Bool {
        withUnsafeBytes(of: value) { bytes in
            // Few enough to go at once.
            write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
        }
    }

    /// Waits for a value; nil when nobody will send one.
    func receive<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var filled = 0
            while filled < bytes.count {
                let got = read(
                    descriptor, bytes.baseAddress?.advanced(by: filled), bytes.count - filled)
                if got < 0 && errno == EINTR { continue }
                if got <= 0 { return nil }
                filled += got
            }
            // Safe: a value of a type without references was sent, by the same program.
            return bytes.load(as: Value.self)
        }
    }

    func end() { close(descriptor) }
}
