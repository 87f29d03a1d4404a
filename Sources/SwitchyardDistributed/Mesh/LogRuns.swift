// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The places in the log of what waits for one peer, in order.
struct LogRuns {
    private var closed: [LogRun] = []
    /// The last one, as long as what follows may be part of it.
    private var open: LogRun?
    // Of `open`: to look at a reference there would count it.
    private var openSegment: UnsafeMutableRawPointer?
    private var openEnd = 0
    private var openSequence: UInt64 = 0

    /// How many bytes they cover.
    private(set) var bytes = 0

    /// Makes a frame part of the last run, if it stands right behind it.
    @inline(__always)
    mutating func extend(_ place: LogPlace, _ sequence: UInt64) -> Bool {
        guard openEnd == place.start, openSequence == sequence,
            openSegment == place.segment.toOpaque()
        else { return false }
        openEnd += place.size
        openSequence += 1
        bytes += place.size
        return true
    }

    /// Begins a run.
    @inline(never)
    mutating func append(_ place: LogPlace, _ sequence: UInt64) {
        close()
        open = LogRun(place, sequence: sequence)
        openSegment = place.segment.toOpaque()
        openEnd = place.start + place.size
        openSequence = sequence + 1
        bytes += place.size
    }

    /// Adds a frame that has no number.
    mutating func append(unnumbered place: LogPlace) {
        close()
        closed.append(LogRun(unnumbered: place))
        bytes += place.size
    }

    private mutating func close() {
        guard var run = open.take() else { return }
        run.end = openEnd
        run.nextSequence = openSequence
        closed.append(run)
        openSegment = nil
    }

    /// Whether the runs would keep a multiple of what they cover from being written over, or are many
    /// and short, if there were one at `place`.
    func isScattered(_ place: LogPlace) -> Bool {
        guard let first = closed.first ?? open else { return false }
        let segments = place.segment.takeUnretainedValue().number - first.segment.number
        let kept = segments * LogSegment.usualCapacity
        return kept > 4 * bytes + LogSegment.usualCapacity || closed.count >= 1024
    }

    /// Takes the first runs, until they cover `size` bytes.
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
