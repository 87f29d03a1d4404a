// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension NotificationEngine {
    /// Whether somebody traces the center's posts.
    @inline(__always)
    package var isTraced: Bool { registry.hooks.hasOnlookers && registry.hooks.traces }

    /// Whether somebody traces centers of this process.
    @inline(__always)
    var somebodyTraces: Bool { TraceSampling.isOn }

    /// Calls `add`, which adds an observation, and traces that if somebody traces this center.
    @inline(never)
    func tracingRegistration(of observation: Observation, _ add: () -> Void) {
        // The observation has its address by now, and no post can find it.
        let trace = isTraced ? TraceRegistration() : nil
        add()
        trace?.end(
            observation.address, rank: observation.sequence,
            center: CenterDirectory.number(of: registry))
    }

    /// Counts the next post.
    ///
    /// - Returns: Whether it is this post's turn to be traced, or whether ``callTraced(_:_:_:)``
    ///   has to ask for that, or whether deliveries are counted or followed one by one.
    @inline(__always)
    func isSampled() -> Bool {
        registry.hooks.onlookersNow != CenterHooks.Onlooker.tracer || switchyard_takes_turn()
    }

    /// Calls the observations of a single list for as long as they are plain, and traces the post,
    /// whose turn it is. If there is more to deliver after that, ``queueOne(_:_:)`` or
    /// ``deliverTraced(_:of:to:after:)`` goes on with the trace.
    @inline(__always)
    func callTraced<Payload>(
        _ payload: Payload, _ topic: Topic, _ match: borrowing Match
    ) -> PlainRun {
        // An empty name needs no word here, and that of a type is known to be empty.
        if !topic.name.isEmpty { PostTrace.name(topic) }
        return callTraced(payload, topic.bits, topic.hash, match.slot)
    }

    /// - Parameters:
    ///   - bits: the topic's, as `hash`: a name has been made known to the trace.
    ///   - slot: the match's ``Match/slot``.
    @inline(never)
    private func callTraced<Payload>(
        _ payload: Payload, _ bits: UInt, _ hash: UInt, _ slot: UnsafeMutablePointer<Atomic<UInt>>
    ) -> PlainRun {
        guard let writer = TraceWriter.ofCountedTurn ?? writerOfTurn() else {
            return takesOneByOne
                ? PlainRun(end: .max) : Match.callAll(payload, Match.list(at: slot), slot)
        }
        if writer.isInsidePost {
            if takesOneByOne { return PlainRun(end: .max) }
            return Match.callAll(payload, in: slot, .inside(bits, hash, in: writer))
        }
        let trace = PostTrace(bits, hash, in: writer)
        let list = Match.list(at: slot)
        return list.count == 1
            ? Match.callOne(payload, list, slot, trace) : Match.callAll(payload, in: slot, trace)
    }

    /// The calling thread's writer of events if its next post is traced, where the thread did not
    /// know; nil also if deliveries are counted or followed one by one.
    @inline(never)
    private func writerOfTurn() -> TraceWriter.Pointer? {
        takesOneByOne || !registry.hooks.traces ? nil : TraceWriter.ofTurn
    }

    /// Whether deliveries are counted or followed one by one.
    private var takesOneByOne: Bool { registry.hooks.countsInline || registry.hooks.isFollowed }

    /// Delivers to the observations that a run has left, while somebody looks on.
    @inline(never)
    func deliverTraced<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match, after run: PlainRun
    ) -> PostReceipt {
        let followed = registry.hooks.follower?.begin(posting.topic)
        var post = PostState(
            match, posting, PostReceipt(run), countsInline: registry.hooks.countsInline,
            trace: trace(posting, run), followed: followed)
        beginGroups(of: &post, match, after: run)
        deliverRest(payload, of: posting, to: match, after: run, &post)
        followed?.end()
        post.trace?.end(
            isUnheard: post.receipt.isEmpty && !post.isHeardInWait && !post.isLostInWait)
        match.end()
        // A condition may have turned the post away, which is nobody's mistake for a trace.
        if post.receipt.reachedNobody, !post.isHeardInWait {
            registry.hooks.callDeadLetterHook(posting.topic)
        }
        return post.receipt
    }

    /// Queues a payload that needs no parcel while somebody looks on, and traces that if the post
    /// is traced.
    @inline(never)
    func queueOneWatched<Payload>(
        _ payload: Payload, _ match: borrowing Match
    ) -> Bool {
        guard let trace = PostTrace.takeAside() else {
            return queueOne(match) { $0.enqueue(InlinePayload(payload), to: $1) }
        }
        var address: UInt = 0
        var isQueued = false
        if InlinePayload.leavesRoom(beside: Payload.self) {
            isQueued = queueOne(match) { mailbox, observation in
                address = observation.address
                let payload = InlinePayload(payload, of: trace.number)
                return mailbox.enqueueTraced(payload, to: observation)
            }
        }
        if isQueued {
            trace.queued(to: address)
            trace.end(isUnheard: false)
        } else {
            trace.putAside()
        }
        return isQueued
    }

    /// The trace of a post that was begun for a run, or, before any run, may begin now.
    private func trace(_ posting: Posting, _ run: PlainRun) -> PostTrace? {
        guard registry.hooks.traces else { return nil }
        if let trace = PostTrace.takeAside() { return trace }
        return run.end == .max ? PostTrace.begin(posting.topic) : nil
    }
}

extension Match {
    /// Calls the only observation of a list, if it is plain, and traces that. Ends the trace, or
    /// puts it aside if there is more to deliver.
    @inline(__always)
    fileprivate static func callOne<Payload>(
        _ payload: Payload, _ list: ObservationListView,
        _ slot: UnsafeMutablePointer<Atomic<UInt>>, _ trace: PostTrace
    ) -> PlainRun {
        let observation = list[0]
        observation._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
        let state = observation._withUnsafeGuaranteedRef(\.seenState)
        if state & Observation.State.notPlain != 0 {
            trace.putAside()
            return PlainRun(end: 1)
        }
        let outcome = Observation.call(observation, payload, state)
        if outcome == .delivered { trace.calledLast(UInt(bitPattern: observation.toOpaque())) }
        observation._withUnsafeGuaranteedRef { $0.endCall(in: slot) }
        if outcome == .delivered { return PlainRun(delivered: 1, next: 1, end: 1) }
        trace.putAside()
        return PlainRun(next: 1, end: 1, outcome: outcome)
    }

    /// Calls the observations of a list, one after the other, for as long as they are plain, and
    /// traces that. Ends the trace, or puts it aside if there is more to deliver.
    @inline(never)
    fileprivate static func callAll<Payload>(
        _ payload: Payload, in slot: UnsafeMutablePointer<Atomic<UInt>>, _ trace: PostTrace
    ) -> PlainRun {
        var trace = trace
        let run = callAll(payload, list(at: slot), slot, &trace)
        if run.isOver { trace.end(isUnheard: run.delivered == 0) } else { trace.putAside() }
        return run
    }

    @inline(__always)
    private static func callAll<Payload>(
        _ payload: Payload, _ list: ObservationListView,
        _ slot: UnsafeMutablePointer<Atomic<UInt>>, _ trace: inout PostTrace
    ) -> PlainRun {
        var run = PlainRun(end: list.count)
        if run.end == 0 { return run }
        var observation = list[0]
        observation._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
        while true {
            let state = observation._withUnsafeGuaranteedRef(\.seenState)
            if state & Observation.State.notPlain != 0 { return run }
            run.next &+= 1
            run.outcome = Observation.call(observation, payload, state)
            if run.outcome != .delivered { break }
            run.delivered &+= 1
            trace.called(UInt(bitPattern: observation.toOpaque()))
            if run.next == run.end { break }
            let next = list[run.next]
            next._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
            if observation._withUnsafeGuaranteedRef(\.listensForEnds) {
                deliveryEnded(observation, before: next, slot)
            }
            observation = next
        }
        observation._withUnsafeGuaranteedRef { $0.endCall(in: slot) }
        return run
    }
}
