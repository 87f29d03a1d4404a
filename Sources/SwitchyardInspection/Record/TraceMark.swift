// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The beginning or end of a slice, or a moment, for which a trace file has one record.
struct TraceMark {
    enum Kind {
        case begin(TraceSlices.Slice)
        case end
        case moment(TraceSlices.Moment)
    }

    let kind: Kind
    let time: UInt64

    /// The marks of a thread in the order of their times. Each slice ends before the one around it
    /// does.
    static func inOrder(_ thread: TraceSlices) -> [TraceMark] {
        inOrder(thread.slices)
            + thread.moments.map { TraceMark(kind: .moment($0), time: $0.time) }
    }

    /// The marks of slices that lie beside or inside each other.
    static func inOrder(_ slices: [TraceSlices.Slice]) -> [TraceMark] {
        var marks: [TraceMark] = []
        var open: [UInt64] = []
        for slice in slices {
            while let end = open.last, end <= slice.begin {
                marks.append(TraceMark(kind: .end, time: end))
                open.removeLast()
            }
            marks.append(TraceMark(kind: .begin(slice), time: slice.begin))
            open.append(slice.end)
        }
        for end in open.reversed() { marks.append(TraceMark(kind: .end, time: end)) }
        return marks
    }
}
