// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension NotificationEngine {
    /// Whether somebody traces the center's posts.
    @inline(__always)
    package var isTraced: Bool { registry.hooks.hasOnlookers && registry.hooks.traces }

    /// Counts the next post.
    ///
    /// - Returns: Whether it is this post's turn to be traced, or whether deliveries are counted one by one.
    // A function of its own: it uses few registers, and most posts need no more.
    @inline(never)
    func takesTurn() -> Bool { takesOneByOne || PostTrace.ringOfNext != nil }

    /// Whether deliveries are counted, or followed, one by one.
    private var takesOneByOne: Bool { registry.hooks.countsInline || registry.hooks.isFollowed }

    /// Does the same as ``Match/callPlain(_:)``, and traces the post, whose turn it is. If there is more to deliver after that, ``deliverTraced(_:of:to:after:)`` goes on with the
    /// trace.
    @inline(never)
    func callPlainTraced<Payload>(
        _ payload: Payload, _ topic: Topic, _ match: borrowing Match
    ) -> PlainRun {
        // Counted one by one.
        if takesOneByOne { return PlainRun(end: .max) }
        guard let ring = TraceRing.current else { return match.callPlain(payload) }
        var trace = PostTrace.next(topic, in: ring)
        let run = match.callPlain(payload, &trace)
        if run.isOver {
            trace.end(isUnheard: run.delivered == 0)
            return run
        }
        trace.putAside()
        return run.next == 0 ? PlainRun(end: .max) : run
    }

    /// Delivers to the observations that a run has left, while somebody looks on.
    @inline(never)
    func deliverTraced<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match, after run: PlainRun
    ) -> PostReceipt {
        let followed = registry.hooks.follower?.begin(posting.topic)
        var post = PostState(
            match, posting, PostReceipt(run), countsInline: registry.hooks.countsInline,
            trace: trace(posting, run), followed: followed)
        deliver(payload, of: posting, to: match, after: run, &post)
        followed?.end()
        post.trace?.end(isUnheard: post.receipt.isEmpty)
        match.end()
        // The trace has it that nobody heard the post.
        if post.receipt.reachedNobody { registry.hooks.callDeadLetterHook(posting.topic) }
        return post.receipt
    }

    /// The trace of a post that was begun for a run, or, before any run, may begin now.
    private func trace(_ posting: Posting, _ run: PlainRun) -> PostTrace? {
        guard registry.hooks.traces else { return nil }
        if let trace = PostTrace.takeAside() { return trace }
        return run.end == .max ? PostTrace.begin(posting.topic) : nil
    }
}

extension Match {
    /// Calls the observations of a single list for as long as they are plain, and traces that.
    @inline(__always)
    fileprivate func callPlain<Payload>(_ payload: Payload, _ trace: inout PostTrace) -> PlainRun {
        let list = ObservationListView(self[0])
        let slot = slot
        var run = PlainRun(end: list.count)
        while run.next < run.end, run.outcome == .delivered {
            let observation = list[run.next]
            observation._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
            let state = observation._withUnsafeGuaranteedRef(\.seenState)
            if state & Observation.State.notPlain != 0 { break }
            run.next &+= 1
            run.outcome = Observation.call(observation, payload, state)
            if run.outcome == .delivered {
                run.delivered &+= 1
                trace.called(UInt(bitPattern: observation.toOpaque()))
            }
            observation._withUnsafeGuaranteedRef { $0.endCall(in: slot) }
        }
        return run
    }
}
