// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The log positions of the frames that wait for one peer, in order.
struct LogRuns {
    private var closed: [LogRun] = []
    /// The last run, as long as following frames may become part of it.
    private var open: LogRun?
    // The segment, end and next number of `open` are kept here: reading them through its reference
    // to the segment would count references.
    private var openSegment: UnsafeMutableRawPointer?
    private var openEnd = 0
    private var openSequence: UInt64 = 0
    private var openIsNumbered = false

    /// The number of bytes that the runs cover.
    private(set) var bytes = 0

    /// Makes a frame part of the last run, if it follows that run directly.
    @inline(__always)
    mutating func extend(_ position: LogPosition, _ sequence: UInt64) -> Bool {
        guard openEnd == position.start, openSequence == sequence,
            openSegment == position.segment.toOpaque()
        else { return false }
        openEnd &+= position.size
        openSequence &+= 1
        if position.sequence != sequence { openIsNumbered = false }
        bytes &+= position.size
        return true
    }

    /// Begins a new run with a frame.
    @inline(never)
    mutating func append(_ position: LogPosition, _ sequence: UInt64) {
        close()
        open = LogRun(position, sequence: sequence)
        openSegment = position.segment.toOpaque()
        openEnd = position.start + position.size
        openSequence = sequence + 1
        openIsNumbered = position.sequence == sequence
        bytes += position.size
    }

    /// Adds a frame that has no sequence number.
    mutating func append(unnumbered position: LogPosition) {
        close()
        closed.append(LogRun(unnumbered: position))
        bytes += position.size
    }

    private mutating func close() {
        guard var run = open.take() else { return }
        run.end = openEnd
        run.nextSequence = openSequence
        run.isNumbered = openIsNumbered
        closed.append(run)
        openSegment = nil
    }

    /// Whether the runs are scattered, counting a frame at `position`: they would keep several
    /// times the log memory that they cover from being used again, or they are many and short.
    func isScattered(_ position: LogPosition) -> Bool {
        guard let first = closed.first ?? open else { return false }
        let segments = position.segment.takeUnretainedValue().number - first.segment.number
        let kept = segments * LogSegment.usualCapacity
        return kept > 4 * bytes + LogSegment.usualCapacity || closed.count >= 1024
    }

    /// Removes and returns the first run, if it is long and can be written from the log as it is.
    ///
    /// - Parameter length: the fewest bytes that are long.
    mutating func takeFirst(from length: Int) -> LogRun? {
        close()
        guard let first = closed.first, first.isNumbered, first.bytes.count >= length else {
            return nil
        }
        closed.removeFirst()
        bytes -= first.bytes.count
        return first
    }

    /// Removes and returns the first runs, as many as it takes to cover `size` bytes.
    mutating func take(_ size: Int) -> [LogRun] {
        close()
        var covered = 0
        let count = closed.firstIndex { run in
            defer { covered += run.end - run.start }
            return covered >= size
        }
        let taken = Array(closed.prefix(count ?? closed.count))
        closed.removeFirst(taken.count)
        bytes -= taken.reduce(0) { $0 + $1.end - $1.start }
        return taken
    }
}
