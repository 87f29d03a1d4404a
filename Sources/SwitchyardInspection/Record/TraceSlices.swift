// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

package import SwitchyardCore

/// The work of a thread, made of its trace events: spans of time that lie beside or inside each
/// other, moments, and the calls of async handlers that have ended there.
package struct TraceSlices {
    /// A span of time: a post with the handlers that it called, or the call of a handler.
    package struct Slice: Equatable {
        package enum Kind: Equatable {
            /// A post, with the number of its call site and the number of posts that it stands for.
            case post(topic: UInt64, site: UInt32, weight: UInt16)
            /// The call of the handler of an observation.
            case handler(UInt64)
        }

        package let kind: Kind
        package let post: UInt64
        package var begin: UInt64
        package var end: UInt64
        /// The observations for which the post queued a delivery, or had one put off.
        package var queued: [UInt64] = []
        /// The ways on which the post was sent to other processes.
        package var sent: [TracePassage] = []
        /// The way on which the post came from another process.
        package var received: TracePassage?
        /// Whether the handler ran through a mailbox.
        package var cameThroughMailbox = false
    }

    /// Something that took no time.
    struct Moment: Equatable {
        let kind: TraceEvent.Kind
        let time: UInt64
        let post: UInt64
        let subject: UInt64
        /// The number of the call site of a post that was coalesced; 0 otherwise.
        var site: UInt32 = 0
    }

    /// The slices in the order of their beginnings. The longer of two that begin together comes
    /// first.
    package private(set) var slices: [Slice] = []
    private(set) var moments: [Moment] = []
    /// The calls of async handlers. Each has run in a task, perhaps on several threads, and they may
    /// overlap: no thread's work has them inside.
    package private(set) var asyncCalls: [Slice] = []
    /// The index of a post's slice, by post, where the slice is known.
    private var posts: [UInt64: Int] = [:]
    /// The time of a post's last event, by post.
    private var last: [UInt64: UInt64] = [:]

    package init(_ events: [TraceEvent]) {
        for event in events { add(event) }
        slices.sort { ($0.begin, $1.end) < ($1.begin, $0.end) }
        nest()
    }

    private mutating func add(_ event: TraceEvent) {
        switch event.kind {
        case .posted:
            posts[event.post] = slices.count
            slices.append(
                Slice(
                    kind: .post(
                        topic: event.subject, site: event.detail, weight: event.weight),
                    post: event.post, begin: event.ticks, end: event.ticks))
        case .called, .delivered:
            addCall(event)
        case .queued:
            if let index = posts[event.post] { slices[index].queued.append(event.subject) }
            extend(event)
        case .sent:
            if let index = posts[event.post] { slices[index].sent.append(TracePassage(event)) }
            extend(event)
        case .received:
            if let index = posts[event.post] { slices[index].received = TracePassage(event) }
            extend(event)
        case .coalesced:
            moments.append(
                Moment(
                    kind: event.kind, time: event.ticks, post: event.post, subject: event.subject,
                    site: event.detail))
        case .within, .thread, .due:
            break
        default:
            moments.append(
                Moment(
                    kind: event.kind, time: event.ticks, post: event.post, subject: event.subject)
            )
            // It goes on its way later.
            if event.kind == .putOff, let index = posts[event.post] {
                slices[index].queued.append(event.subject)
            }
            if Self.isPartOfPost(event.kind) { extend(event) }
        }
        last[event.post] = event.ticks
    }

    /// Whether a kind of moment happens during the post. Of a delivery that waits, the end comes
    /// later, maybe on the same thread: a later post replaces it, for example.
    private static func isPartOfPost(_ kind: TraceEvent.Kind) -> Bool {
        switch kind {
        case .replaced, .undeliverable, .expired, .cancelled: false
        default: true
        }
    }

    private mutating func addCall(_ event: TraceEvent) {
        let took = UInt64(event.detail) * TraceClock.ticksOfDetail
        var begin = event.ticks > took ? event.ticks - took : 0
        let isInline = event.kind == .called
        // The time is rounded: it does not begin before the event before it.
        if isInline, let last = last[event.post] { begin = max(begin, last) }
        let call = Slice(
            kind: .handler(event.subject), post: event.post, begin: min(begin, event.ticks),
            end: event.ticks, cameThroughMailbox: !isInline)
        if event.isAsyncCall { return asyncCalls.append(call) }
        slices.append(call)
        if isInline { extend(event) }
    }

    /// A post lasts until its last event on its thread.
    private mutating func extend(_ event: TraceEvent) {
        if let index = posts[event.post] { slices[index].end = max(slices[index].end, event.ticks) }
    }

    /// Ends each slice with the one around it: readings of the clock are rounded.
    private mutating func nest() {
        var open: [Int] = []
        for index in slices.indices {
            while let last = open.last, slices[last].end <= slices[index].begin {
                open.removeLast()
            }
            if let last = open.last { slices[index].end = min(slices[index].end, slices[last].end) }
            open.append(index)
        }
    }
}

extension TraceSlices {
    /// Spreads slices that may overlap over as few lanes as it takes, so that those of a lane lie
    /// one behind the other.
    static func lanes(_ slices: [Slice]) -> [[Slice]] {
        let slices = slices.sorted { ($0.begin, $0.end) < ($1.begin, $1.end) }
        let byEnd = slices.indices.sorted { (slices[$0].end, $0) < (slices[$1].end, $1) }
        var ended = byEnd[...]
        var lanes: [[Slice]] = []
        /// The lane of each slice so far.
        var laneOfSlice: [Int] = []
        var free: [Int] = []
        for (index, slice) in slices.enumerated() {
            // A slice of no length may have ended before it was its turn.
            while let first = ended.first, first < index, slices[first].end <= slice.begin {
                free.append(laneOfSlice[first])
                ended.removeFirst()
            }
            if let lane = free.popLast() {
                lanes[lane].append(slice)
                laneOfSlice.append(lane)
            } else {
                laneOfSlice.append(lanes.count)
                lanes.append([slice])
            }
        }
        return lanes
    }
}
