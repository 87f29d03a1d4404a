// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// A post on its way to other processes, or from one of them, while somebody traces posts.
///
/// A post that goes to other processes is delivered here after that, by an engine that knows
/// nothing of the way. Both are one post: it is counted once, and traced as one.
package struct TraceCrossing {
    private let writer: TraceWriter.Pointer
    /// The crossing that the thread was inside before: a hook that is called meanwhile may post.
    private let outer: PostTrace?
    /// If the post is not traced: the posts until the next one that is.
    private let left: UInt32?

    /// Begins the way of a post to other processes.
    package static func sending(_ topic: Topic) -> TraceCrossing? {
        guard let writer = TraceWriter.current else { return nil }
        return TraceCrossing(writer, PostTrace.begin(topic))
    }

    /// Ends the way of a post that has come from another process, before its delivery here.
    ///
    /// - Parameters:
    ///   - passage: its way; asked for if the post is traced.
    ///   - isTraced: whether that process traces the post, so that this one does, too. Asked for
    ///     unless it is this post's turn anyway.
    package static func receiving(
        _ topic: Topic, through passage: () -> TracePassage, isTraced: () -> Bool
    ) -> TraceCrossing? {
        guard let writer = TraceWriter.current else { return nil }
        let isTurn = TraceWriter.ofNextPost != nil
        let isAsked = !isTurn && isTraced() && writer.pointee.isNextAsked()
        guard isTurn || isAsked else { return TraceCrossing(writer, nil) }
        var trace = PostTrace.received(topic, in: writer, isTurn: isTurn)
        trace.happened(.received, through: passage())
        return TraceCrossing(writer, trace)
    }

    private init(_ writer: TraceWriter.Pointer, _ trace: PostTrace?) {
        self.writer = writer
        outer = writer.pointee.sending
        left = trace == nil ? writer.pointee.left : nil
        writer.pointee.sending = trace
    }

    /// Whether the calling thread is about to send a post that is traced.
    package static var isLeaving: Bool {
        TraceSampling.isOn && TraceWriter.owned?.pointee.sending != nil
    }

    /// Writes down that the post which the calling thread is sending has gone through `passage`.
    package static func sent(through passage: TracePassage) {
        TraceWriter.owned?.pointee.sending?.happened(.sent, through: passage)
    }

    /// Says that the post goes somewhere else as well, where observers may hear it. So it is not
    /// unheard, even if nobody hears it here.
    package func mayBeHeardElsewhere() { writer.pointee.sending?.mayBeHeardElsewhere() }

    /// Lets the next post of the calling thread go on with this trace: the delivery in this
    /// process.
    package func deliver() {
        var trace = writer.pointee.sending.take()
        trace?.willCall()
        writer.pointee.carried = trace
        // The delivery counts the post once more.
        if let left { writer.pointee.left = left &+ 1 }
    }

    /// Ends the post, unless its delivery here has done so.
    ///
    /// - Parameter isHeld: whether the delivery is put off because the center is suspended.
    package func end(isHeld: Bool = false) {
        let rest = writer.pointee.carried.take() ?? writer.pointee.sending
        writer.pointee.sending = outer
        rest?.end(isUnheard: !isHeld)
        // There was no delivery that could count it.
        if let left, writer.pointee.left == left &+ 1 { writer.pointee.left = left }
    }
}
