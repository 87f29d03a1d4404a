// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension NotificationEngine {
    /// Delivers to one observation of a post, unless it has ended.
    ///
    /// Rare cases stand in functions of their own: this is the loop that every post goes through.
    @inline(__always)
    func deliver<Payload>(
        _ payload: Payload, of posting: Posting, to observation: Unmanaged<Observation>,
        _ post: inout PostState
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            observation.beginCall(in: post.slot)
            if observation.seenState & Observation.State.notPlain == 0 {
                _ = call(observation, payload, &post)
            } else {
                route(observation, payload, posting, &post)
            }
            observation.endCall(in: post.slot)
        }
    }

    /// Calls or queues, for observations that are anything but plain.
    @inline(never)
    private func route<Payload>(
        _ observation: Observation, _ payload: Payload, _ posting: Posting,
        _ post: inout PostState
    ) {
        if let wait = post.wait, wait.isEnded {
            // A request that has its answer takes neither room nor turns of others. It was heard.
            post.isHeardInWait = true
            post.groups?.isTaken = true
            return
        }
        let seen = observation.seenState
        if seen & Observation.State.grouped != 0, post.groups?.chosen == nil {
            // The group's place is that of its first member that is there.
            if seen & Observation.State.cancelled != 0 || observation.expiresNow { return }
            return routeToGroup(of: observation, payload, posting, &post)
        }
        if seen & (Observation.State.cancelled | Observation.State.paused) != 0 {
            if seen & Observation.State.cancelled == 0 {
                routeInPause(observation, payload, posting, &post)
            }
            return
        }
        if let flow = observation.flow {
            if flow.isFiltered, turnsAway(payload, observation, flow, &post) { return }
            if flow.isPaced {
                let parcel = post.pack(payload, for: observation, of: posting)
                return pace(parcel, to: observation, flow, &post)
            }
        }
        switch post.destination(of: observation) {
        case .here:
            callIfOn(observation, payload, posting, &post)
        case .insideMailbox(let mailbox):
            mailbox._withUnsafeGuaranteedRef { mailbox in
                mailbox.inside(for: observation) {
                    callIfOn(observation, payload, posting, &post)
                }
            }
        case .mailbox(let mailbox):
            mailbox._withUnsafeGuaranteedRef { mailbox in
                if post.wait == nil, post.followed == nil,
                    observation.has(Observation.State.inlinesPayload),
                    queue(payload, for: observation, in: mailbox, &post)
                {
                    if posting.subject.isGone { post.receipt.objectIsGone = true }
                    return
                }
                let parcel = post.pack(payload, for: observation, of: posting)
                queue(parcel, for: observation, in: mailbox, &post)
            }
        }
    }

    /// Whether the observation's condition turns the post away, which is counted. That of a group's
    /// member was asked when the member was chosen.
    private func turnsAway<Payload>(
        _ payload: Payload, _ observation: Observation, _ flow: DeliveryFlow,
        _ post: inout PostState
    ) -> Bool {
        guard post.groups?.chosen == nil, let filter = flow.filter,
            !observation.admits(payload, filter)
        else { return false }
        post.receipt.filtered &+= 1
        flow.countFiltered()
        post.trace?.happened(.filtered, to: observation.address)
        return true
    }

    /// Queues or keeps, for an observation that is paused.
    @inline(never)
    private func routeInPause<Payload>(
        _ observation: Observation, _ payload: Payload, _ posting: Posting,
        _ post: inout PostState
    ) {
        if let flow = observation.flow, flow.isFiltered,
            turnsAway(payload, observation, flow, &post)
        {
            return
        }
        // Nobody is left who would end the pause.
        if observation.expiresNow { return post.receipt.count(.expired) }
        let parcel = post.pack(payload, for: observation, of: posting)
        if let flow = observation.flow, flow.isPaced {
            pace(parcel, to: observation, flow, &post)
        } else {
            keep(parcel, for: observation, &post)
        }
    }

    /// Keeps a delivery to an observation that was paused a moment ago.
    private func keep(
        _ parcel: AnyParcel, for observation: Observation, _ post: inout PostState
    ) {
        if let mailbox = observation.mailbox {
            // The deliveries that wait there already come first. This one is kept when its turn
            // comes.
            queue(parcel, for: observation, in: mailbox, &post)
        } else {
            deliverNow(MailEntry(.passUnretained(observation), parcel), &post)
        }
    }

    /// Queues one delivery of a payload that needs no parcel, and traces that.
    ///
    /// - Returns: False if it needs one for the trace.
    private func queue<Payload>(
        _ payload: Payload, for observation: Observation, in mailbox: SharedMailbox,
        _ post: inout PostState
    ) -> Bool {
        guard let trace = post.trace else {
            mailbox.enqueue(InlinePayload(payload), to: observation, &post.receipt)
            return true
        }
        guard InlinePayload.leavesRoom(beside: Payload.self),
            mailbox.enqueueTraced(InlinePayload(payload, of: trace.number), to: observation)
        else { return false }
        post.receipt.queued &+= 1
        post.trace?.happened(.queued, to: observation.address)
        return true
    }

    /// Queues one delivery, and traces that.
    func queue(
        _ parcel: AnyParcel, for observation: Observation, in mailbox: SharedMailbox,
        _ post: inout PostState
    ) {
        let before = post.receipt
        mailbox.enqueue(parcel, to: observation, for: post.wait, &post.receipt)
        if post.trace != nil { post.trace(parcel, to: observation, since: before) }
    }

    private func pace(
        _ parcel: AnyParcel, to observation: Observation, _ flow: DeliveryFlow,
        _ post: inout PostState
    ) {
        let offer = flow.offer(MailEntry(.passUnretained(observation), parcel)) { entry in
            if observation.isPaused { return keep(entry.unwrap(), for: observation, &post) }
            switch post.destination(of: observation) {
            case .here:
                deliverNow(entry, &post)
            case .insideMailbox(let mailbox):
                mailbox._withUnsafeGuaranteedRef {
                    $0.inside(for: observation) {
                        // The condition, which is the user's code, may have cancelled it.
                        if !observation.isCancelled { flow.tellLoss() }
                        deliverNow(entry, &post)
                    }
                }
            case .mailbox(let mailbox):
                let parcel = entry.unwrap()
                mailbox._withUnsafeGuaranteedRef { mailbox in
                    queue(parcel, for: observation, in: mailbox, &post)
                }
            }
        }
        if offer == .putOff {
            post.receipt.queued &+= 1
            post.trace?.happened(.putOff, to: observation.address)
        }
    }

    private func deliverNow(_ entry: consuming MailEntry, _ post: inout PostState) {
        let (observation, movesOn) = (entry.observation, entry.movesOn)
        let outcome = entry.deliver()
        if movesOn, outcome == nil || outcome == .expired || outcome == .tooLate {
            // The member has ended since it was chosen, and another gets the delivery.
            return post.receipt.count(.queued)
        }
        guard let outcome else { return }
        if outcome == .queued {
            observation._withUnsafeGuaranteedRef {
                post.trace?.happened(.putOff, to: $0.address)
            }
        } else if post.wait?.goal == .handled {
            // A wait counts the delivery where it is made.
            switch outcome {
            case .delivered, .consumed, .displaced: post.isHeardInWait = true
            case .dropped, .undeliverable: post.isLostInWait = true
            case .queued, .expired, .tooLate, .uncounted: break
            }
            return
        }
        post.receipt.count(outcome)
    }

    @inline(never)
    private func callIfOn<Payload>(
        _ observation: Observation, _ payload: Payload, _ posting: Posting,
        _ post: inout PostState
    ) {
        if observation.claimUnlessPaused() {
            observation.flow?.tellLoss()
            let outcome = call(observation, payload, &post)
            // Otherwise another member of the group hears it.
            if outcome != .expired, outcome != .tooLate { post.groups?.isTaken = true }
        } else if observation.isPaused {
            // The pause has begun while the condition was asked.
            let parcel = post.pack(payload, for: observation, of: posting)
            keep(parcel, for: observation, &post)
        }
    }

    /// Calls the handler on this thread, and counts it if that is asked for.
    private func call<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState
    ) -> DeliveryOutcome {
        if post.isWatched {
            callWatched(observation, payload, &post)
        } else {
            call(observation, payload, &post.receipt)
        }
    }

    /// Calls the handler on this thread, for a post that somebody waits for, traces or follows.
    @inline(never)
    private func callWatched<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState
    ) -> DeliveryOutcome {
        let before = post.receipt
        post.trace?.willCall()
        let (wait, followed) = (post.wait, post.followed)
        let outcome = call(observation, &post.receipt) { (handler: _DeliveryHandler<Payload>) in
            func deliver() throws -> DeliveryOutcome {
                if let wait, wait.goal == .handled {
                    return try handler.deliver(payload, for: wait)
                }
                return try handler.deliver(payload)
            }
            guard let followed else { return try deliver() }
            return try followed._withUnsafeGuaranteedRef { try $0.inline(deliver) }
        }
        guard post.receipt.delivered != before.delivered else { return outcome }
        if post.countsInline { observation.countDelivery() }
        post.trace?.called(observation.address)
        if post.receipt.isConsumed, !before.isConsumed {
            post.trace?.happened(.consumed, to: observation.address)
        }
        return outcome
    }

    /// Calls the handler on this thread: the last step of an inline delivery. The observation was
    /// claimed.
    private func call<Payload>(
        _ observation: Observation, _ payload: Payload, _ receipt: inout PostReceipt
    ) -> DeliveryOutcome {
        call(observation, &receipt) { (handler: _DeliveryHandler<Payload>) in
            try handler.deliver(payload)
        }
    }

    @inline(__always)
    private func call<Payload>(
        _ observation: Observation, _ receipt: inout PostReceipt,
        _ deliver: (_DeliveryHandler<Payload>) throws -> DeliveryOutcome
    ) -> DeliveryOutcome {
        let outcome = observation.invoke { try observation.withHandler(deliver) }
        if outcome == .consumed {
            observation.handler._withUnsafeGuaranteedRef { $0.countConsumed() }
        }
        receipt.count(outcome)
        return outcome
    }
}
