// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A thread that is inside a handler, for a traced post that came through a mailbox.
struct TraceFrame {
    /// The thread's.
    private let writer: TraceWriter.Pointer
    private let post: UInt64
    /// The traced post that the thread was inside before, and the posts that then were left until
    /// the next one that is traced.
    private let (outer, left): (UInt64, UInt32)
    private let began: UInt64

    /// Says that the calling thread enters a handler; nil if nobody traces any more.
    @inline(__always)
    static func enter(_ post: UInt64) -> TraceFrame? {
        guard TraceSampling.isOn, let writer = TraceWriter.current else { return nil }
        return TraceFrame(post, writer)
    }

    @inline(__always)
    private init(_ post: UInt64, _ writer: TraceWriter.Pointer) {
        self.writer = writer
        self.post = post
        (outer, left) = (writer.pointee.currentPost, writer.pointee.left)
        began = writer.now
        writer.enter(post)
    }

    /// Says that the thread has left the handler.
    ///
    /// - Parameter kind: the event to write down, with the time that the handler took; nil: none.
    @inline(__always)
    func leave(_ kind: TraceEvent.Kind?, _ observation: UInt) {
        writer.leave(to: outer, left)
        guard let kind else { return }
        let now = writer.now
        let summary = TraceEvent.summary(kind, since: began, until: now)
        writer.append(now, post, UInt64(observation), summary)
    }

    /// Writes down, on the calling thread, what became of a delivery.
    ///
    /// - Parameter ticks: when that was; nil: now.
    static func append(
        _ kind: TraceEvent.Kind, of post: UInt64, to observation: UInt, at ticks: UInt64? = nil
    ) {
        append(TraceEvent.summary(kind), of: post, to: observation, at: ticks)
    }

    /// Writes down, on the thread on which the task has come to its end, that an async handler was
    /// called.
    ///
    /// - Parameter began: when that was.
    static func appendAsyncCall(of post: UInt64, to observation: UInt, since began: UInt64) {
        append(
            TraceEvent.summary(.delivered, weight: 1, since: began, until: TraceClock.now),
            of: post, to: observation)
    }

    private static func append(
        _ summary: UInt64, of post: UInt64, to observation: UInt, at ticks: UInt64? = nil
    ) {
        guard TraceSampling.isOn, let writer = TraceWriter.current else { return }
        writer.append(ticks ?? writer.now, post, UInt64(observation), summary)
    }
}
