// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The frames of notifications that could not be written at once, one after the other: each stands here
/// once, for however many peers.
///
/// Queues refer to it by ``LogRun``s. What no queue refers to any more is written over. Guard: the
/// mesh's state, except what ``LogSegment`` says.
struct FrameLog: ~Copyable {
    private var current: LogSegment?
    /// Full ones, the oldest first; some queue may refer to them.
    private var full: [LogSegment] = []
    /// How many of them are looked through for such as nobody refers to.
    private var sweepCount = FrameLog.fewestSwept
    private var lastNumber = 0

    /// Appends a frame.
    @inline(__always)
    mutating func append(_ frame: borrowing ByteWriter) -> LogPlace {
        if let current, let start = current.append(frame) {
            return LogPlace(segment: .passUnretained(current), start: start, size: frame.count)
        }
        return appendToNext(frame)
    }

    @inline(never)
    private mutating func appendToNext(_ frame: borrowing ByteWriter) -> LogPlace {
        if let current { full.append(current) }
        let next = nextSegment(roomFor: frame.count)
        current = next
        guard let start = next.append(frame) else {
            preconditionFailure("a new segment has room for the frame it is made for")
        }
        return LogPlace(segment: .passUnretained(next), start: start, size: frame.count)
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

    /// A segment to which no queue refers. Most often it is the oldest; a peer that reads nothing may
    /// keep that, so now and then all are looked through.
    private mutating func takeUnused() -> LogSegment? {
        if let oldest = full.indices.first, isUnused(oldest) { return full.removeFirst() }
        if full.count < sweepCount { return nil }
        var unused: LogSegment?
        for place in full.indices.reversed() where isKnownUniquelyReferenced(&full[place]) {
            let segment = full.remove(at: place)
            if segment.capacity == LogSegment.usualCapacity { unused = segment }
        }
        sweepCount = max(Self.fewestSwept, full.count * 2)
        return unused
    }

    private mutating func isUnused(_ place: Int) -> Bool {
        full[place].capacity == LogSegment.usualCapacity && isKnownUniquelyReferenced(&full[place])
    }

    /// Gives back the memory that nobody refers to.
    mutating func trim() {
        for place in full.indices.reversed() where isKnownUniquelyReferenced(&full[place]) {
            full.remove(at: place)
        }
        sweepCount = max(Self.fewestSwept, full.count * 2)
        if var last = current.take(), !isKnownUniquelyReferenced(&last) { current = last }
    }
}

/// A piece of a ``FrameLog``.
final class LogSegment: @unchecked Sendable {
    // Sendable: `memory` is written at its end, under the mesh's lock. What a run covers is constant for
    // as long as there is the run, which holds this.

    static let usualCapacity = 256 * 1024

    let capacity: Int
    private let memory: UnsafeMutableRawPointer
    private var count = 0
    /// Segments are numbered as they are begun.
    private(set) var number: Int

    init(_ number: Int, capacity: Int) {
        self.number = number
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Begins anew. Only while nobody else has a reference.
    func begin(_ number: Int) {
        self.number = number
        count = 0
    }

    /// - Returns: Where the frame begins; nil when it does not fit.
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

/// Where a frame stands in the log. Valid under the lock under which it was put there.
struct LogPlace {
    /// The log has it: to count references for each peer would take longer than all else.
    let segment: Unmanaged<LogSegment>
    let start: Int
    let size: Int
}

/// Frames that stand one behind the other in the log, all for one peer, with numbers that follow each
/// other.
struct LogRun {
    let segment: LogSegment
    let start: Int
    var end: Int
    /// The number of the first.
    let sequence: UInt64
    /// The number after the last.
    var nextSequence: UInt64

    init(_ place: LogPlace, sequence: UInt64) {
        segment = place.segment.takeUnretainedValue()
        start = place.start
        end = place.start + place.size
        self.sequence = sequence
        nextSequence = sequence + 1
    }

    /// A frame that has no number.
    init(unnumbered place: LogPlace) {
        self.init(place, sequence: 0)
        nextSequence = 0
    }

    /// Writes the frames, with their numbers.
    func copy(to writer: inout ByteWriter) {
        var place = writer.count
        writer.append(bytes: segment.bytes(start..<end))
        for number in sequence..<nextSequence {
            writer.patch(sequence: number, at: place + WireFormat.sequenceOffset)
            place += writer.withBytes { OutQueue.frameLength($0, at: place) }
        }
    }
}
