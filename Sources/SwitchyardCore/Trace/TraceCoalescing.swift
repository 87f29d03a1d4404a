// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The trace of posts that a queue coalesces: they are never made, so that no other event tells of
/// them.
package enum TraceCoalescing {
    /// Traces that a post for a queue and one that waits there were taken for one, if it is the
    /// post's turn. Called by the thread that enqueues.
    @inline(never)
    package static func happened(_ topic: Topic) {
        guard let writer = TraceWriter.ofNextPost else { return }
        if topic.isName { writer.name(topic) }
        PostTrace.coalesced(topic.bits, topic.hash, in: writer)
    }
}

extension PostTrace {
    /// Traces a post that is not made. Inside of a traced post, it stands for itself.
    fileprivate static func coalesced(
        _ bits: UInt, _ hash: UInt, in writer: TraceWriter.Pointer
    ) {
        let outer = writer.pointee.currentPost
        let weight = outer == 0 ? writer.pointee.weightOfPost : 1
        let site = writer.site(bits, hash)
        let (now, number) = (writer.now, writer.nextPost())
        writer.append(
            now, number, UInt64(hash),
            TraceEvent.summary(.coalesced, weight: weight) | UInt64(site) << 32)
        if outer != 0 { writer.append(now, number, outer, TraceEvent.summary(.within)) }
        writer.leave(to: outer, outer == 0 ? 0 : 1)
    }
}
