// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The beginning or end of a slice, or a moment: what a trace file has one record for.
struct TraceMark {
    enum Kind {
        case begin(TraceSlices.Slice)
        case end
        case moment(TraceSlices.Moment)
    }

    let kind: Kind
    let time: UInt64

    /// The marks of a thread in the order of their times. Each slice ends before the one around it does.
    static func inOrder(_ thread: TraceSlices) -> [TraceMark] {
        var marks: [TraceMark] = []
        var open: [UInt64] = []
        for slice in thread.slices {
            while let end = open.last, end <= slice.begin {
                marks.append(TraceMark(kind: .end, time: end))
                open.removeLast()
            }
            marks.append(TraceMark(kind: .begin(slice), time: slice.begin))
            open.append(slice.end)
        }
        for end in open.reversed() { marks.append(TraceMark(kind: .end, time: end)) }
        for moment in thread.moments {
            marks.append(TraceMark(kind: .moment(moment), time: moment.time))
        }
        return marks
    }
}

/// The arrows from posts to the handlers that they called elsewhere. Each has a beginning and an end: a
/// delivery of which the recording has one of both alone has no arrow.
struct TraceArrows {
    private struct Delivery: Hashable {
        let post: UInt64
        let observation: UInt64
    }

    private var numbers: [Delivery: UInt64] = [:]

    init(_ slices: [TraceSlices.Slice]) {
        let queued = Set(
            slices.flatMap { slice in
                slice.queued.map { Delivery(post: slice.post, observation: $0) }
            })
        for slice in slices where slice.cameThroughMailbox {
            guard case .handler(let observation) = slice.kind else { continue }
            let delivery = Delivery(post: slice.post, observation: observation)
            if queued.contains(delivery) { numbers[delivery] = UInt64(numbers.count) + 1 }
        }
    }

    /// The arrows that begin in a post.
    func beginning(in slice: TraceSlices.Slice) -> [UInt64] {
        slice.queued.compactMap { numbers[Delivery(post: slice.post, observation: $0)] }
    }

    /// The arrow that ends in the call of a handler.
    func ending(in slice: TraceSlices.Slice) -> UInt64? {
        guard slice.cameThroughMailbox, case .handler(let observation) = slice.kind else {
            return nil
        }
        return numbers[Delivery(post: slice.post, observation: observation)]
    }
}
