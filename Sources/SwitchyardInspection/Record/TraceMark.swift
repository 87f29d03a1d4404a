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
