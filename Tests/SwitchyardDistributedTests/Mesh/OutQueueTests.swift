// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import TestSupport
import Testing

@testable import SwitchyardDistributed
@testable import SwitchyardWire

/// Frames that wait for peers, in a test without peers.
@Suite("Queues of frames") struct OutQueueTests {
    /// A peer's queue, and the bytes that its writer has written.
    private final class Line {
        var queue = OutQueue()
        var batch = OutBatch()
        var written: [UInt8] = []
        var nextSequence: UInt64 = 1

        // These properties stand in expectations, which may not name a value that can't be copied.
        var waiting: UInt64 { queue.notificationsThatWait(with: batch) }
        var bytes: Int { queue.count }
        var isEmpty: Bool { queue.isEmpty }
        func dropOldest(_ bytes: Int) -> UInt64 { queue.dropOldest(bytes) }
        func keepLatest() -> UInt64 { queue.keepLatest() }
        func beginLeaving() -> Bool { queue.beginLeaving(in: &batch) }
        func leave(_ count: Int) { queue.leave(count, of: &batch) }
        var hasTaken: Bool { batch.hasTaken }
        /// The rest of the frame that was written in part.
        var rest: [UInt8] {
            var rest = ByteWriter()
            return batch.appendRestOfFrame(behind: queue.left, to: &rest)
                ? rest.withBytes { Array($0) } : []
        }
        /// The address of the bytes to write.
        var address: UnsafeRawPointer? { batch.withBytes(\.baseAddress) }

        /// Begins with the rest of a notification that was written in part.
        func startLeaving(with rest: [UInt8]) {
            rest.withUnsafeBytes {
                queue.startLeaving(with: $0, ofNotification: true, in: &batch)
            }
        }

        func append(_ position: LogPosition) {
            queue.append(position, sequence: nextSequence)
            nextSequence += 1
        }

        /// Writes the waiting frames in pieces of at most `size` bytes, `times` times.
        func write(_ size: Int, times: Int = .max) {
            for _ in 0..<times {
                guard beginLeaving() else { return }
                if batch.hasTaken { batch.copyTaken() }
                let piece = batch.withBytes { Array($0[queue.left...].prefix(size)) }
                written += piece
                leave(piece.count)
            }
        }

        /// The numbers and contents of the notifications that were written whole.
        func received() throws -> (sequences: [UInt64], contents: [UInt32]) {
            var sequences: [UInt64] = []
            var contents: [UInt32] = []
            var splitter = FrameSplitter(limit: WireFormat.longestFrame)
            try written.withUnsafeBytes { bytes in
                try splitter.take(bytes) { _, frame in
                    guard frame[0] == FrameType.notification.rawValue else { return }
                    let notification = try NotificationFrame(frame)
                    sequences.append(notification.sequence)
                    contents.append(notification.payload.loadUnaligned(as: UInt32.self))
                }
            }
            return (sequences, contents)
        }
    }

    /// A notification that carries a number and `size` bytes more.
    private static func frame(_ number: UInt32, _ size: Int, topic: String = "A") -> ByteWriter {
        let payload = withUnsafeBytes(of: number) { Array($0) } + [UInt8](repeating: 0, count: size)
        var writer = ByteWriter()
        Array(topic.utf8).withUnsafeBytes { topic in
            payload.withUnsafeBytes { payload in
                writer.appendNotification(
                    flags: 0, .bytes, topic: topic, nameLength: topic.count, payload: payload)
            }
        }
        return writer
    }

    @Test(.rule(36), arguments: [1, 2, 3])
    func `Each peer gets its notifications in order, in whatever pieces it reads`(
        seed: UInt64
    ) throws {
        var chance = Chance(seed: seed)
        var log = FrameLog()
        let lines = (0..<4).map { _ in Line() }
        var wanted: [[UInt32]] = [[], [], [], []]
        for number in 0..<20_000 as Range<UInt32> {
            let size = Int.random(in: 0..<300, using: &chance)
            // Peers that want all frames, half of them by chance, every third, or very few. For a
            // while the first one wants none.
            let isWanted = [
                number / 5_000 != 1, Bool.random(using: &chance), number % 3 == 0,
                number % 4_000 == 0,
            ]
            // The number of the first peer stands in the log, and in some stretches none.
            var frame = Self.frame(number, size)
            let first = zip(lines, isWanted).first { $1 }?.0.nextSequence ?? 0
            let sequence = number / 1_000 % 4 == 3 ? 0 : first
            frame.patch(sequence: sequence, at: WireFormat.sequenceOffset)
            let position = log.append(frame, sequence: sequence)
            for (index, line) in lines.enumerated() {
                if isWanted[index] {
                    line.append(position)
                    wanted[index].append(number)
                }
                if Int.random(in: 0..<50, using: &chance) == 0 {
                    line.write(Int.random(in: 1..<200_000, using: &chance), times: 2)
                }
                if Int.random(in: 0..<2_000, using: &chance) == 0 { log.trim() }
            }
        }
        for (line, wanted) in zip(lines, wanted) {
            #expect(line.waiting <= UInt64(wanted.count))
            line.write(70_000)
            let (sequences, contents) = try line.received()
            #expect(contents == wanted)
            #expect(sequences == Array(1...UInt64(wanted.count)))
            #expect(line.isEmpty && line.waiting == 0)
        }
    }

    @Test(.rule(36)) func `A frame that is partly written counts as waiting`() {
        var log = FrameLog()
        let line = Line()
        let size = Self.frame(0, 100).count
        for number in 0..<10 as Range<UInt32> { line.append(log.append(Self.frame(number, 100))) }
        #expect(line.waiting == 10)
        #expect(line.beginLeaving())
        // The writer has these frames, and may be copying them.
        #expect(line.waiting == 10)
        line.batch.copyTaken()
        line.leave(3 * size + 1)
        #expect(line.waiting == 7)
        #expect(line.bytes == 7 * size - 1)
        line.append(log.append(Self.frame(10, 100)))
        #expect(line.waiting == 8)
    }

    @Test(.rule(36)) func `Frames with a peer's own numbers are written from the log`() throws {
        var log = FrameLog()
        let (first, second) = (Line(), Line())
        second.nextSequence = 7
        var start: UnsafeRawPointer?
        let size = Self.frame(0, 1_000).count
        for number in 0..<20 as Range<UInt32> {
            var frame = Self.frame(number, 1_000)
            frame.patch(sequence: first.nextSequence, at: WireFormat.sequenceOffset)
            let position = log.append(frame, sequence: first.nextSequence)
            if number == 0 {
                start = position.segment.takeUnretainedValue().bytes(0..<1).baseAddress
            }
            for line in [first, second] { line.append(position) }
        }
        #expect(first.beginLeaving())
        #expect(second.beginLeaving())
        #expect(!first.hasTaken)
        #expect(second.hasTaken)
        second.batch.copyTaken()
        #expect(first.address == start)
        #expect(second.address != start)
        #expect(first.waiting == 20)
        // Two frames and a half have left.
        first.written = first.batch.withBytes { Array($0.prefix(size * 5 / 2)) }
        first.leave(size * 5 / 2)
        #expect(first.waiting == 18)
        #expect(first.rest.count == 3 * size - size * 5 / 2)
        for line in [first, second] {
            line.write(.max)
            #expect(try line.received().contents == Array(0..<20))
        }
        #expect(try first.received().sequences == Array(1...20))
        #expect(try second.received().sequences == Array(7...26))
        // Nothing is left of it, and the log has its memory for itself.
        #expect(first.address != start)
        #expect(first.rest.isEmpty)
    }

    @Test(.rule(36))
    func `The rest of a frame waits, also behind a turn that found nothing to write`() {
        var log = FrameLog()
        let line = Line()
        line.append(log.append(Self.frame(0, 100)))
        line.write(.max)
        #expect(!line.beginLeaving())
        line.startLeaving(with: [1, 2, 3])
        #expect(line.waiting == 1)
    }

    @Test(.rule(36)) func `The oldest waiting frames can be dropped, wherever they stand`() throws {
        var log = FrameLog()
        let line = Line()
        let size = Self.frame(0, 100).count
        for number in 0..<100 as Range<UInt32> { line.append(log.append(Self.frame(number, 100))) }
        #expect(line.dropOldest(10 * size) == 10)
        #expect(line.waiting == 90)
        for number in 100..<110 as Range<UInt32> {
            line.append(log.append(Self.frame(number, 100)))
        }
        line.write(1_000)
        #expect(try line.received().sequences == Array(11...110))
        #expect(line.waiting == 0)
    }

    @Test(.rule(36)) func `Frames of centers to each other stay when the oldest are dropped`()
        throws
    {
        var log = FrameLog()
        let line = Line()
        let size = Self.frame(0, 100).count
        for number in 0..<100 as Range<UInt32> {
            let topic = number % 25 == 3 ? WireFormat.requestName : "A"
            line.append(log.append(Self.frame(number, 100, topic: topic)))
        }
        #expect(line.dropOldest(50 * size) == 50)
        #expect(line.waiting == 50)
        // None but theirs is left.
        #expect(line.dropOldest(100 * size) == 46)
        #expect(line.dropOldest(100 * size) == 0)
        line.append(log.append(Self.frame(100, 100)))
        line.write(1_000)
        #expect(try line.received().contents == [3, 28, 53, 78, 100])
        #expect(try line.received().sequences == [4, 29, 54, 79, 101])
        #expect(line.waiting == 0)
    }

    @Test(.rule(36)) func `The last frame of each name can be kept, wherever it stands`() throws {
        var log = FrameLog()
        let line = Line()
        for number in 0..<100 as Range<UInt32> {
            line.append(log.append(Self.frame(number, 10, topic: number % 2 == 0 ? "A" : "B")))
        }
        #expect(line.keepLatest() == 98)
        #expect(line.waiting == 2)
        line.write(1_000)
        #expect(try line.received().contents == [98, 99])
        #expect(try line.received().sequences == [99, 100])
    }

    @Test func `A peer that reads nothing keeps little more of the log than waits for it`() {
        var log = FrameLog()
        let (slow, fast) = (Line(), Line())
        var segments = Segments()
        for number in 0..<20_000 as Range<UInt32> {
            let position = log.append(Self.frame(number, 1_000))
            segments.note(position)
            fast.append(position)
            if number % 1_000 == 0 { slow.append(position) }
            fast.write(.max)
            fast.written = []
        }
        // 20 MB of frames went by, and 20 KB wait.
        #expect(segments.living * LogSegment.usualCapacity < 4 << 20)
        #expect(slow.waiting == 20)
    }

    @Test(arguments: [100, 2 * LogSegment.usualCapacity])
    func `A frame that waits for ever keeps no more of the log than its own piece`(size: Int) {
        var log = FrameLog()
        let (slow, fast) = (Line(), Line())
        var segments = Segments()
        slow.append(log.append(Self.frame(0, size)))
        for number in 0..<50_000 as Range<UInt32> {
            let position = log.append(Self.frame(number, 1_000))
            segments.note(position)
            fast.append(position)
            fast.write(.max)
            fast.written = []
        }
        #expect(segments.living * LogSegment.usualCapacity < 8 << 20)
        #expect(slow.waiting == 1)
    }

    @Test func `A frame may be longer than a piece of the log`() throws {
        var log = FrameLog()
        let line = Line()
        for number in 0..<3 as Range<UInt32> {
            line.append(log.append(Self.frame(number, LogSegment.usualCapacity * 2)))
        }
        line.write(.max)
        #expect(try line.received().contents == [0, 1, 2])
    }
}

/// The pieces of a log, kept weakly to see which of them live.
private struct Segments {
    private struct Weak {
        weak var segment: LogSegment?
    }

    private var all: [Weak] = []

    mutating func note(_ position: LogPosition) {
        let segment = position.segment.takeUnretainedValue()
        if all.last?.segment !== segment { all.append(Weak(segment: segment)) }
    }

    /// The number of living pieces. A piece that is used again was noted more than once.
    var living: Int { Set(all.compactMap { $0.segment.map(ObjectIdentifier.init) }).count }
}
