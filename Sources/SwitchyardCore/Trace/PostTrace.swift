// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One post that is traced, while its thread makes it. Four words: so few are passed in registers.
struct PostTrace {
    /// The calling thread's.
    private let writer: TraceWriter.Pointer
    /// The traced post that the thread was inside before; 0: none.
    private let outer: UInt64
    /// The time of the post's last event.
    private var last: UInt64
    /// The posts that are left, after this, until the next one that is traced; 0: as many as the
    /// interval says. Beside that, ``sentBit``.
    private var leftAndSent: UInt64

    /// Set if the post was sent to another process, or to another center.
    private static let sentBit: UInt64 = 1 << 63

    /// The post's number.
    @inline(__always)
    var number: UInt64 { writer.pointee.currentPost }

    /// Begins to trace a post, if it is its turn.
    ///
    /// Whole trees of posts are traced: one that is made inside a handler is traced if the post is
    /// for which the handler was called.
    static func begin(_ topic: Topic) -> PostTrace? {
        TraceWriter.ofNextPost.map { writer in
            if topic.isName { writer.name(topic) }
            return writer.isInsidePost
                ? inside(topic.bits, topic.hash, in: writer)
                : PostTrace(topic.bits, topic.hash, in: writer)
        }
    }

    /// Makes a name known to the traces of posts.
    @inline(never)
    static func name(_ topic: Topic) { TraceWriter.current?.name(topic) }

    /// Begins to trace a post that is made inside of none that is traced.
    ///
    /// - Parameters:
    ///   - bits: the topic's, as `hash`. A name is known.
    @inline(__always)
    init(_ bits: UInt, _ hash: UInt, in writer: TraceWriter.Pointer) {
        self.init(
            hash, in: writer, from: writer.site(bits, hash), writer.pointee.summaryOfPost, then: 0)
    }

    /// The trace of a post that is made inside of one that is traced: that of its way from or to
    /// another process, which the thread is inside, or a new one.
    @inline(never)
    static func inside(_ bits: UInt, _ hash: UInt, in writer: TraceWriter.Pointer) -> PostTrace {
        if let carried = writer.pointee.carried.take() { return carried }
        let outer = writer.pointee.currentPost
        let trace = PostTrace(
            hash, in: writer, from: writer.site(bits, hash),
            TraceEvent.summary(.posted, weight: 1), then: 1, within: outer)
        writer.append(trace.last, trace.number, outer, TraceEvent.summary(.within))
        return trace
    }

    /// Begins to trace a post that another process made.
    ///
    /// - Parameter isTurn: whether it is traced because it is its turn. Otherwise it stands for no
    ///   others.
    static func received(
        _ topic: Topic, in writer: TraceWriter.Pointer, isTurn: Bool
    ) -> PostTrace {
        writer.name(topic)
        let outer = writer.pointee.currentPost
        let left = outer != 0 ? 1 : isTurn ? 0 : writer.pointee.left
        let weight = !isTurn ? 0 : outer != 0 ? 1 : writer.pointee.weightOfPost
        let trace = PostTrace(
            topic.hash, in: writer, from: 0, TraceEvent.summary(.posted, weight: weight),
            then: left, within: outer)
        if outer != 0 {
            writer.append(trace.last, trace.number, outer, TraceEvent.summary(.within))
        }
        return trace
    }

    /// Begins to trace a post in the calling thread's ring.
    ///
    /// - Parameters:
    ///   - hash: the topic's.
    ///   - site: the number of its call site.
    ///   - summary: the event's ``TraceEvent/summary`` without it.
    ///   - left: the posts that are left, after this, until the next one that is traced; 0: as many
    ///     as the interval says.
    ///   - outer: the traced post that the thread is inside; 0: none.
    @inline(__always)
    private init(
        _ hash: UInt, in writer: TraceWriter.Pointer, from site: UInt32, _ summary: UInt64,
        then left: UInt32, within outer: UInt64 = 0
    ) {
        let now = writer.now
        let number = writer.nextPost()
        self.writer = writer
        self.outer = outer
        leftAndSent = UInt64(left)
        last = now
        writer.enter(number)
        writer.append(now, number, UInt64(hash), summary | UInt64(site) << 32)
    }

    /// Keeps the trace for ``takeAside()``: the delivery goes on in another function of this
    /// thread.
    @inline(__always)
    func putAside() { writer.pointee.aside = self }

    @inline(__always)
    static func takeAside() -> PostTrace? { TraceWriter.owned?.pointee.aside.take() }

    /// Traces that the handler of the observation with this address has run on the posting thread,
    /// since the last event.
    @inline(__always)
    mutating func called(_ observation: UInt) {
        let now = writer.now
        let summary = TraceEvent.summary(.called, since: last, until: now)
        writer.append(now, number, UInt64(observation), summary)
        last = now
    }

    /// Traces the call of the only observation of a post, and ends the post, which is not made
    /// inside of another traced one.
    @inline(__always)
    func calledLast(_ observation: UInt) {
        var trace = self
        trace.called(observation)
        writer.leave()
    }

    /// Something else happened to the delivery to an observation.
    mutating func happened(_ kind: TraceEvent.Kind, to observation: UInt) {
        last = writer.now
        writer.append(last, number, UInt64(observation), TraceEvent.summary(kind))
    }

    /// The delivery to the post's only observation was put into its context's mailbox, at the time
    /// of the last event.
    @inline(__always)
    func queued(to observation: UInt) {
        writer.append(last, number, UInt64(observation), TraceEvent.summary(.queued))
    }

    /// The post was sent to another process, or came from one.
    mutating func happened(_ kind: TraceEvent.Kind, through passage: TracePassage) {
        last = writer.now
        if kind == .sent { mayBeHeardElsewhere() }
        let summary = TraceEvent.summary(kind) | UInt64(passage.sequence) << 32
        writer.append(last, number, passage.subject, summary)
    }

    /// The post may be heard elsewhere.
    mutating func mayBeHeardElsewhere() { leftAndSent |= Self.sentBit }

    /// A handler is about to run on the posting thread, and time has passed since the last event.
    mutating func willCall() { last = writer.now }

    /// Traces a post that nobody heard.
    static func unheard(_ topic: Topic) {
        begin(topic)?.end(isUnheard: true)
    }

    /// Ends the post.
    @inline(__always)
    func end(isUnheard: Bool) {
        if _slowPath(isUnheard), leftAndSent & Self.sentBit == 0 {
            writer.append(last, number, 0, TraceEvent.summary(.unheard))
        }
        writer.leave(to: outer, UInt32(truncatingIfNeeded: leftAndSent))
    }
}
