// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

// The third step of a post: from the lists of observations to their handlers, or to their mailboxes.
extension NotificationEngine {
    /// Delivers `payload` to the matched observations: here, or into the mailboxes of the contexts
    /// that the observers chose, whose drains take it from there (``AnyParcel/deliver(to:)``).
    package func deliver<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match
    ) -> PostReceipt {
        deliver(payload, of: posting, posting.topic, posting.subject, posting.wait, match)
    }

    /// Delivers `payload` to the matched observations.
    ///
    /// - Parameter posting: evaluated only if an observation is not plain.
    @inline(__always)
    func deliver<Payload>(
        _ payload: Payload, of posting: @autoclosure () -> Posting, _ topic: Topic,
        _ subject: Subject, _ wait: PostWait?, _ match: consuming Match
    ) -> PostReceipt {
        var run = PlainRun(end: match.isEmpty ? 0 : .max)
        // Calls what is plain among the observations, unless each delivery is counted or waited
        // for.
        if match.isPlain, wait == nil {
            if _slowPath(registry.hooks.hasOnlookers), isSampled() {
                run = callTraced(payload, topic, match)
            } else {
                let list = ObservationListView(match[0])
                if list.count == 1 {
                    run = Match.callOne(payload, list, match.slot)
                    // Most posts end here.
                    if run.isOver {
                        match.end()
                        return PostReceipt(delivered: 1)
                    }
                } else {
                    run = Match.callAll(payload, list, match.slot)
                }
            }
        }
        if run.isOver { return end(match, topic, delivered: run.delivered) }
        if run.isOne, !subject.isGone, queueOne(payload, match) {
            match.end()
            return PostReceipt(queued: 1)
        }
        return deliverRest(payload, of: posting(), to: match, after: run)
    }

    /// Delivers to the observations that a run has left.
    ///
    /// - Parameter run: the part of a single list that was delivered to.
    @inline(never)
    func deliverRest<Payload>(
        _ payload: Payload, of posting: Posting, to match: consuming Match, after run: PlainRun
    ) -> PostReceipt {
        if registry.hooks.hasOnlookers {
            return deliverTraced(payload, of: posting, to: match, after: run)
        }
        var post = PostState(match, posting, PostReceipt(run))
        beginGroups(of: &post, match, after: run)
        deliverRest(payload, of: posting, to: match, after: run, &post)
        return end(match, posting.topic, post.receipt, isHeard: post.isHeardInWait)
    }

    /// Delivers, in the state of `post`, to the observations behind those of `run`.
    func deliverRest<Payload>(
        _ payload: Payload, of posting: Posting, to match: borrowing Match, after run: PlainRun,
        _ post: inout PostState
    ) {
        switch match.order {
        case .single(let list):
            // Leaves out observations that handlers have added since the post began.
            for index in (run.next..<run.end).clamped(to: 0..<list.count)
            where Self.hears(list[index], post) {
                deliver(payload, of: posting, to: list[index], &post)
            }
        case .merged(let lists):
            lists.forEachInOrder { observation in
                if Self.hears(observation, post) {
                    deliver(payload, of: posting, to: observation, &post)
                }
            }
        case .sorted(let observations):
            for observation in observations
            where Self.hears(.passUnretained(observation), post) {
                deliver(payload, of: posting, to: .passUnretained(observation), &post)
            }
        }
    }

    /// Whether an observation hears a post that one before it may have consumed.
    @inline(__always)
    static func hears(
        _ observation: Unmanaged<Observation>, _ post: borrowing PostState
    ) -> Bool {
        !post.receipt.isConsumed
            || observation._withUnsafeGuaranteedRef { $0.has(Observation.State.seesConsumed) }
    }

    /// Ends a post.
    ///
    /// - Parameter isHeard: whether somebody has heard it whom the receipt does not count.
    @inline(__always)
    func end(
        _ match: consuming Match, _ topic: Topic, _ receipt: PostReceipt, isHeard: Bool = false
    ) -> PostReceipt {
        match.end()
        if receipt.reachedNobody, !isHeard { registry.hooks.reportDeadLetter(topic) }
        return receipt
    }

    /// Ends a post that came to plain observations alone, or to none.
    @inline(__always)
    private func end(
        _ match: consuming Match, _ topic: Topic, delivered: Int = 0
    ) -> PostReceipt {
        match.end()
        if delivered == 0 { registry.hooks.reportDeadLetter(topic) }
        return PostReceipt(delivered: delivered)
    }
}

// MARK: - Plain observations

extension Match {
    /// Calls the only observation of a list, if it is plain: on, on the posting thread, and any
    /// number of times.
    @inline(__always)
    static func callOne<Payload>(
        _ payload: Payload, _ list: ObservationListView, _ slot: UnsafeMutablePointer<Atomic<UInt>>
    ) -> PlainRun {
        list[0]._withUnsafeGuaranteedRef { observation in
            observation.beginCall(in: slot)
            let state = observation.seenState
            // The slot goes on naming the observation, for the one who queues or calls it.
            if state & Observation.State.notPlain != 0 { return PlainRun(end: 1) }
            let outcome = Observation.call(.passUnretained(observation), payload, state)
            observation.endCall(in: slot)
            return outcome == .delivered
                ? PlainRun(delivered: 1, next: 1, end: 1)
                : PlainRun(next: 1, end: 1, outcome: outcome)
        }
    }

    /// Calls the observations of a list, one after the other, for as long as they are plain.
    // A function of its own, with little in it: nothing else runs as often. It gets the slot alone,
    // which stays in a register; a match would not.
    @inline(never)
    static func callAll<Payload>(
        _ payload: Payload, _ list: ObservationListView, _ slot: UnsafeMutablePointer<Atomic<UInt>>
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
            if run.next == run.end { break }
            // The slot names the next observation from here on.
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

    /// Ends the delivery to `observation`, which may run the user's code. Takes the next
    /// observation out of the slot first, so that this thread does not look as if it were inside
    /// that one.
    @inline(never)
    static func deliveryEnded(
        _ observation: Unmanaged<Observation>, before next: Unmanaged<Observation>,
        _ slot: UnsafeMutablePointer<Atomic<UInt>>
    ) {
        next._withUnsafeGuaranteedRef { $0.endCall(in: slot) }
        observation._withUnsafeGuaranteedRef { $0.deliveryEndedInPost() }
        next._withUnsafeGuaranteedRef { $0.beginCall(in: slot) }
    }
}

// MARK: - One observation with a mailbox

extension NotificationEngine {
    /// Queues a payload for the only observation of a list, if that hears through a mailbox, has no
    /// option that changes how it is queued, and can't be called inline now.
    ///
    /// - Returns: Whether the payload was queued.
    @inline(never)
    func queueOne<Payload>(_ payload: Payload, _ match: borrowing Match) -> Bool {
        if _slowPath(registry.hooks.hasOnlookers) { return queueOneWatched(payload, match) }
        if queueOne(match, through: { $0.enqueue(InlinePayload(payload), to: $1) }) { return true }
        return queueOneWithParcel(payload, match)
    }

    /// Queues a payload that needs a parcel, likewise.
    @inline(never)
    private func queueOneWithParcel<Payload>(
        _ payload: Payload, _ match: borrowing Match
    ) -> Bool {
        queueOne(match, Observation.State.routed) { mailbox, observation in
            guard observation.staysInMailbox else { return false }
            let parcel = observation.withHandler { (handler: _DeliveryHandler<Payload>) in
                handler.pack(payload, objectIsGone: false)
            }
            return mailbox.enqueueInTurn(parcel, to: observation)
        }
    }

    /// - Parameter expected: the state that the observation has to be in, of the bits that say how
    ///   it is queued.
    @inline(__always)
    func queueOne(
        _ match: borrowing Match,
        _ expected: UInt32 = Observation.State.routed | Observation.State.inlinesPayload,
        through enqueue: (SharedMailbox, Observation) -> Bool
    ) -> Bool {
        let (observation, slot) = (ObservationListView(match[0])[0], match.slot)
        return observation._withUnsafeGuaranteedRef { observation in
            guard observation.seenState & Observation.State.howToQueue == expected,
                let mailbox = observation.mailboxReference
            else { return false }
            let isQueued = mailbox._withUnsafeGuaranteedRef { mailbox in
                !mailbox.deliversInline() && enqueue(mailbox, observation)
            }
            if isQueued { observation.endCall(in: slot) }
            return isQueued
        }
    }
}

// MARK: - The hazard slot around an inline call

extension Observation {
    /// Writes down that the posting thread is about to call the handler.
    ///
    /// The slot is written first; then the caller reads the state, which says whether the call may
    /// go ahead. The processor may show other threads the opposite order; a thread that cancels
    /// makes up for that with a heavy fence.
    @inline(__always)
    func beginCall(in slot: UnsafeMutablePointer<Atomic<UInt>>) {
        slot.pointee.store(address, ordering: .releasing)
        switchyard_light_fence()
    }

    /// Writes down that the posting thread has left the handler.
    @inline(__always)
    func endCall(in slot: UnsafeMutablePointer<Atomic<UInt>>) {
        slot.pointee.store(HazardRecord.idle, ordering: .releasing)
        switchyard_light_fence()
        if listensForEnds { deliveryEndedInPost() }
    }
}
