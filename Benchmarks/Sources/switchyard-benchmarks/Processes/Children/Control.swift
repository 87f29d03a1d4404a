// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Foundation

/// An order to a child.
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

/// A reply of a child.
struct Reply {
    /// The child is about to carry out its order. Any other reply is the result.
    static let ready = Reply(first: -1, second: -1)

    /// A poster's time of its beginning, or the median of its round trips; a receiver's number of
    /// messages.
    let first: Int64
    /// A receiver's time of the last message, or the median of the ages.
    let second: Int64

    var isReady: Bool { first == Self.ready.first }
}

/// One end of the channel between a child and its parent.
struct ControlChannel {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Sends a value to the same program; false when the other end is closed.
    func send<Value: BitwiseCopyable>(_ value: Value) -> Bool {
        withUnsafeBytes(of: value) { bytes in
            // The bytes are few enough to go at once.
            write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
        }
    }

    /// Waits for a value; nil when the other end is closed.
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
