// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardWire

/// The frames of notifications that could not be written at once, one after the other. Each frame
/// stands here once, for however many peers.
///
/// Queues refer to the log by ``LogRun``s. Segments that no queue refers to are used again. Guard:
/// the mesh's state, except what ``LogSegment`` says.
struct FrameLog: ~Copyable {
    private var current: LogSegment?
    /// The full segments, oldest first; queues may refer to them.
    private var full: [LogSegment] = []
    /// The number of full segments at which all of them are searched for unused ones.
    private var sweepCount = FrameLog.fewestSwept
    private var lastNumber = 0

    /// Appends a frame.
    ///
    /// - Parameter sequence: the sequence number in it; 0 if it has none.
    @inline(__always)
    mutating func append(_ frame: borrowing ByteWriter, sequence: UInt64 = 0) -> LogPosition {
        if let current, let start = current.append(frame) {
            return LogPosition(
                segment: .passUnretained(current), start: start, size: frame.count,
                sequence: sequence)
        }
        return appendToNext(frame, sequence)
    }

    @inline(never)
    private mutating func appendToNext(
        _ frame: borrowing ByteWriter, _ sequence: UInt64
    ) -> LogPosition {
        if let current { full.append(current) }
        let next = nextSegment(roomFor: frame.count)
        current = next
        guard let start = next.append(frame) else {
            preconditionFailure("a new segment has room for the frame it is made for")
        }
        return LogPosition(
            segment: .passUnretained(next), start: start, size: frame.count, sequence: sequence)
    }

    private mutating func nextSegment(roomFor size: Int) -> LogSegment {
        lastNumber += 1
        if size <= LogSegment.usualCapacity, let segment = takeUnused() {
            segment.begin(lastNumber)
            return segment
        }
        return LogSegment(lastNumber, capacity: max(size, LogSegment.usualCapacity))
    }

    private static var fewestSwept: Int { 8 }

    /// Returns a segment to which no queue refers. Most often that is the oldest one; a peer that
    /// reads nothing may keep the oldest in use, so now and then all segments are searched.
    private mutating func takeUnused() -> LogSegment? {
        if let oldest = full.indices.first, isUnused(oldest) { return full.removeFirst() }
        if full.count < sweepCount { return nil }
        var unused: LogSegment?
        for index in full.indices.reversed() where isKnownUniquelyReferenced(&full[index]) {
            let segment = full.remove(at: index)
            if segment.capacity == LogSegment.usualCapacity { unused = segment }
        }
        sweepCount = max(Self.fewestSwept, full.count * 2)
        return unused
    }

    private mutating func isUnused(_ index: Int) -> Bool {
        full[index].capacity == LogSegment.usualCapacity && isKnownUniquelyReferenced(&full[index])
    }

    /// Frees the segments to which no queue refers.
    mutating func trim() {
        for index in full.indices.reversed() where isKnownUniquelyReferenced(&full[index]) {
            full.remove(at: index)
        }
        sweepCount = max(Self.fewestSwept, full.count * 2)
        if var last = current.take(), !isKnownUniquelyReferenced(&last) { current = last }
    }
}

/// A piece of a ``FrameLog``.
final class LogSegment: @unchecked Sendable {
    // Sendable: `memory` is only appended to, under the mesh's lock. The bytes that a run covers
    // don't change while the run exists, because the run holds this segment.

    static let usualCapacity = 256 * 1024

    let capacity: Int
    private let memory: UnsafeMutableRawPointer
    private var count = 0
    /// The segment's number, in the order in which segments were begun.
    private(set) var number: Int

    init(_ number: Int, capacity: Int) {
        self.number = number
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Empties the segment for another use. Only while nobody else has a reference.
    func begin(_ number: Int) {
        self.number = number
        count = 0
    }

    /// Appends a frame.
    ///
    /// - Returns: The offset at which the frame begins; nil if it does not fit.
    @inline(__always)
    func append(_ frame: borrowing ByteWriter) -> Int? {
        let start = count
        if capacity - start < frame.count { return nil }
        let memory = memory
        frame.withBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (memory + start).copyMemory(from: source, byteCount: bytes.count)
        }
        count = start + frame.count
        return start
    }

    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
    }
}

/// The position of a frame in the log. Valid only until the lock is released under which the frame
/// was appended.
struct LogPosition {
    /// The frame's segment, retained by the log: counting references for each peer would take
    /// longer than everything else.
    let segment: Unmanaged<LogSegment>
    let start: Int
    let size: Int
    /// The sequence number that stands in the log: that of the first peer for which the frame was
    /// queued. Others may have another one for it.
    let sequence: UInt64
}

/// Consecutive frames in the log, all for one peer, with consecutive sequence numbers.
struct LogRun {
    let segment: LogSegment
    let start: Int
    var end: Int
    /// The sequence number of the first frame.
    let sequence: UInt64
    /// The sequence number after the last frame's.
    var nextSequence: UInt64
    /// Whether the frames have these numbers in the log, so that they can be written from there.
    var isNumbered: Bool

    init(_ position: LogPosition, sequence: UInt64) {
        segment = position.segment.takeUnretainedValue()
        start = position.start
        end = position.start + position.size
        self.sequence = sequence
        nextSequence = sequence + 1
        isNumbered = position.sequence == sequence
    }

    /// Creates a run of one frame that has no sequence number.
    init(unnumbered position: LogPosition) {
        self.init(position, sequence: 0)
        nextSequence = 0
    }

    /// The frames as they stand in the log.
    var bytes: UnsafeRawBufferPointer { segment.bytes(start..<end) }

    /// Copies the frames, and puts in their sequence numbers.
    func copy(to writer: inout ByteWriter) {
        var offset = writer.count
        writer.append(bytes: bytes)
        if isNumbered { return }
        for number in sequence..<nextSequence {
            writer.patch(sequence: number, at: offset + WireFormat.sequenceOffset)
            offset += writer.withBytes { $0.frameLength(at: offset) }
        }
    }
}
