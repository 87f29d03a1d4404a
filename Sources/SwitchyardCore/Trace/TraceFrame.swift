// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A thread that is inside a handler, for a traced post that came through a mailbox.
struct TraceFrame {
    /// The thread's. Not retained: rings are never freed.
    private let ring: Unmanaged<TraceRing>
    private let post: UInt64
    /// The traced post that the thread was inside before.
    private let outer: UInt64
    private let began: UInt64

    /// Says that the calling thread enters a handler; nil if nobody traces any more.
    static func enter(_ post: UInt64) -> TraceFrame? {
        guard TraceSampling.isOn, let ring = TraceRing.current else { return nil }
        return ring._withUnsafeGuaranteedRef { thread in
            let frame = TraceFrame(
                ring: ring, post: post, outer: thread.own.pointee.currentPost, began: TraceClock.now
            )
            thread.own.pointee.currentPost = post
            return frame
        }
    }

    /// Says that the thread has left the handler.
    ///
    /// - Parameter kind: the event to write down, with the time that the handler took; nil: none.
    func leave(_ kind: TraceEvent.Kind?, _ observation: UInt) {
        ring._withUnsafeGuaranteedRef { $0.own.pointee.currentPost = outer }
        if let kind { Self.append(kind, of: post, to: observation, since: began) }
    }

    /// Writes down, on the calling thread, what became of a delivery.
    ///
    /// - Parameter began: when its handler was called, if it was.
    static func append(
        _ kind: TraceEvent.Kind, of post: UInt64, to observation: UInt, since began: UInt64? = nil
    ) {
        guard TraceSampling.isOn, let ring = TraceRing.current else { return }
        let now = TraceClock.now
        ring._withUnsafeGuaranteedRef { ring in
            ring.append(
                TraceEvent(
                    kind, ticks: now, post: post, subject: UInt64(observation),
                    detail: began.map { TraceClock.detail(since: $0, until: now) } ?? 0))
        }
    }
}
