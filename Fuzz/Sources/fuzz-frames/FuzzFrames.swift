// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Fuzzing
import SwitchyardDistributed
import SwitchyardWire

/// A stream of any bytes gives the same frames however it is cut into pieces, and no frame makes a
/// reader trap.
///
/// The first byte says how the stream is cut.
@main enum FuzzFrames {
    static func main() {
        fuzz { start, count in
            FuzzFrames.test(UnsafeRawBufferPointer(start: start, count: count))
            return 0
        }
    }

    private static func test(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let stream = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        let whole = frames(of: stream, inPiecesOf: max(1, stream.count))
        let cut = frames(of: stream, inPiecesOf: Int(first % 37) + 1)
        precondition(whole == cut, "another stream in pieces")
        for frame in whole.frames { frame.withUnsafeBytes(read) }
    }

    private struct Outcome: Equatable {
        var frames: [[UInt8]] = []
        var isMalformed = false
    }

    private static func frames(
        of stream: UnsafeRawBufferPointer, inPiecesOf size: Int
    ) -> Outcome {
        var splitter = FrameSplitter(limit: 1 << 20)
        var outcome = Outcome()
        var rest = stream[...]
        do {
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
                try splitter.take(piece) { _, frame in outcome.frames.append(Array(frame)) }
                rest = rest.dropFirst(size)
            }
        } catch {
            outcome.isMalformed = true
        }
        return outcome
    }

    /// Reads a frame, which is malformed, or is written again as it was.
    private static func read(_ frame: UnsafeRawBufferPointer) {
        let body = UnsafeRawBufferPointer(rebasing: frame.dropFirst())
        switch frame.first {
        case FrameType.hello.rawValue: readGreeting(body)
        case FrameType.subscribe.rawValue: readInterest(body)
        case FrameType.notification.rawValue: readNotification(frame)
        default: break
        }
    }

    private static func readGreeting(_ body: UnsafeRawBufferPointer) {
        guard let greeting = try? Greeting(body) else { return }
        var writer = ByteWriter()
        greeting.write(to: &writer)
        let again = writer.withBytes { try? Greeting(UnsafeRawBufferPointer(rebasing: $0[5...])) }
        precondition(again == greeting, "another greeting comes back")
    }

    private static func readInterest(_ body: UnsafeRawBufferPointer) {
        guard let interest = try? InterestFrame(body) else { return }
        var writer = ByteWriter()
        interest.write(to: &writer, isObserved: true)
        let again = writer.withBytes {
            try? InterestFrame(UnsafeRawBufferPointer(rebasing: $0[5...]))
        }
        precondition(
            again?.name == interest.name && again?.object == interest.object,
            "another interest comes back")
    }

    private static func readNotification(_ frame: UnsafeRawBufferPointer) {
        guard let notification = try? NotificationFrame(frame) else { return }
        let length = notification.topic.count + notification.payload.count
        precondition(length <= frame.count, "more than there is")
        precondition(notification.nameLength <= notification.topic.count, "a name beyond its topic")
        // Touched, so that a byte beyond the frame is found out.
        let sum = notification.topic.reduce(0) { $0 &+ Int($1) }
        precondition(notification.payload.reduce(sum) { $0 &+ Int($1) } >= 0)
    }
}
