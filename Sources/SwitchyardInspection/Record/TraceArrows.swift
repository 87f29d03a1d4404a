// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore

/// The arrows from posts to the handlers that they called elsewhere, and to the same posts in other
/// processes. Each has a beginning and an end: a delivery of which the recordings have one of both
/// alone has no arrow.
struct TraceArrows {
    /// The way that an arrow stands for.
    private enum Way: Hashable {
        /// The delivery of a post to an observation, through its mailbox.
        case mailbox(process: Int32, post: UInt64, observation: UInt64)
        /// The way to another process, by its connection and number.
        case process(UInt32, UInt32)
    }

    /// The end of an arrow: a slice. One post that goes to several processes may be the same way
    /// for all.
    private struct End: Hashable {
        let way: Way
        let process: Int32
        let post: UInt64
    }

    private var numbers: [End: UInt64] = [:]
    private var numbersOfWays: [Way: [UInt64]] = [:]

    /// - Parameter processes: the slices of each process.
    init(_ processes: [(process: Int32, slices: [TraceSlices.Slice])]) {
        let begun = Set(
            processes.lazy.flatMap { process, slices in
                slices.lazy.flatMap { Self.begun(in: $0, process) }
            })
        for (process, slices) in processes {
            for slice in slices {
                if let end = Self.ended(in: slice, process), begun.contains(end.way),
                    numbers[end] == nil
                {
                    let number = UInt64(numbers.count) + 1
                    numbers[end] = number
                    numbersOfWays[end.way, default: []].append(number)
                }
            }
        }
    }

    /// The arrows that begin in a slice of a process.
    func beginning(in slice: TraceSlices.Slice, of process: Int32) -> [UInt64] {
        Self.begun(in: slice, process).flatMap { numbersOfWays[$0] ?? [] }
    }

    /// The arrow that ends in a slice of a process.
    func ending(in slice: TraceSlices.Slice, of process: Int32) -> UInt64? {
        Self.ended(in: slice, process).flatMap { numbers[$0] }
    }

    private static func begun(in slice: TraceSlices.Slice, _ process: Int32) -> [Way] {
        slice.queued.map { .mailbox(process: process, post: slice.post, observation: $0) }
            + slice.sent.map { .process($0.connection, $0.sequence) }
    }

    private static func ended(in slice: TraceSlices.Slice, _ process: Int32) -> End? {
        func end(_ way: Way) -> End { End(way: way, process: process, post: slice.post) }
        if let way = slice.received { return end(.process(way.connection, way.sequence)) }
        guard slice.cameThroughMailbox, case .handler(let observation) = slice.kind else {
            return nil
        }
        return end(.mailbox(process: process, post: slice.post, observation: observation))
    }
}
