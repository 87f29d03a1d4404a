// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension NotificationEngine {
    /// Makes of a payload what may wait in a mailbox; told whether the object's deinit has begun,
    /// because then it must not be kept.
    package typealias Detach<Payload> = (Payload, _ objectIsGone: Bool) -> Payload

    /// Delivers to one observation of a post, unless it has ended.
    ///
    /// What is rare stands in functions of its own: this is the loop that every post goes through.
    @inline(__always)
    func deliver<Payload>(
        _ payload: Payload, to observation: Unmanaged<Observation>, _ post: inout PostState,
        _ subject: Subject, _ detach: Detach<Payload>
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            // First the mark, then the look at the state. Nothing keeps the processor from turning
            // that around for other threads to see; who cancels makes up for it with a heavy fence.
            post.mark.pointee.store(observation.address, ordering: .releasing)
            switchyard_compiler_fence()
            if observation.state.load(ordering: .acquiring) == 0 {
                call(observation, payload, &post)
            } else {
                route(observation, payload, &post, subject, detach)
            }
            post.mark.pointee.store(ThreadRecord.idle, ordering: .releasing)
            switchyard_compiler_fence()
            if observation.hasUnreleasedHandler { observation.releaseHandlerIfIdle() }
        }
    }

    /// Calls or queues, for observations that are anything but plain.
    @inline(never)
    private func route<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState,
        _ subject: Subject, _ detach: Detach<Payload>
    ) {
        if observation.isCancelled { return }
        if let pacer = observation.flow?.pacer {
            let parcel = wrap(post.parcel { pack(payload, subject, detach) }, observation, &post)
            return pace(parcel, to: observation, pacer, &post)
        }
        switch post.place(of: observation) {
        case .here:
            callIfOn(observation, payload, &post)
        case .inTurn(let mailbox):
            mailbox.inTurn { callIfOn(observation, payload, &post) }
        case .mailbox(let mailbox):
            let parcel = wrap(post.parcel { pack(payload, subject, detach) }, observation, &post)
            queue(parcel, to: observation, mailbox, for: post.wait, &post.receipt)
        }
    }

    private func pack<Payload>(
        _ payload: Payload, _ subject: Subject, _ detach: Detach<Payload>
    ) -> AnyParcel {
        let isGone = subject.isGone
        return Parcel(detach(payload, isGone), objectIsGone: isGone, center: self)
    }

    /// The parcel for one delivery, which the post may wait for.
    private func wrap(
        _ parcel: AnyParcel, _ observation: Observation, _ post: inout PostState
    ) -> AnyParcel {
        guard let wait = post.wait, wait.goal == .handled else { return parcel }
        let places = [observation.waitPlace] + (observation.mailbox?.waitPlaces ?? [])
        return AwaitedParcel(parcel, wait, places: places)
    }

    private func pace(
        _ parcel: AnyParcel, to observation: Observation, _ pacer: Pacer, _ post: inout PostState
    ) {
        var isNow = false
        pacer.offer(MailEntry(.passUnretained(observation), parcel)) { entry in
            isNow = true
            if let mailbox = observation.mailbox {
                let parcel = entry.unwrap()
                queue(parcel, to: observation, mailbox, for: post.wait, &post.receipt)
            } else {
                entry.deliver()
                post.receipt.delivered &+= 1
            }
        }
        if !isNow { post.receipt.queued &+= 1 }
    }

    @inline(never)
    private func callIfOn<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState
    ) {
        if observation.claim() { call(observation, payload, &post) }
    }

    /// Puts a delivery into a mailbox, if the observation's bound lets it.
    func queue(
        _ parcel: AnyParcel, to observation: Observation, _ mailbox: DeliveryMailbox,
        for wait: PostWait?, _ receipt: inout PostReceipt
    ) {
        if let bounded = observation.flow?.bounded {
            bounded.offer(parcel, to: observation, in: mailbox, for: wait, &receipt)
        } else {
            let entry = MailEntry(.passUnretained(observation), parcel)
            mailbox.enqueue(entry, from: self, &receipt)
        }
    }

    /// Calls the handler on this thread: the last step of what is delivered inline. The observation
    /// was claimed.
    @inline(__always)
    private func call<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState
    ) {
        do {
            let outcome = try observation.handler._withUnsafeGuaranteedRef { handler in
                try unsafeDowncast(handler, to: Handler<Payload>.self).deliver(payload)
            }
            if outcome == .delivered, !post.countsInline {
                post.receipt.delivered &+= 1
            } else {
                count(outcome, observation, &post)
            }
        } catch {
            count(error, observation, &post)
        }
    }

    @inline(never)
    private func count(
        _ outcome: DeliveryOutcome, _ observation: Observation, _ post: inout PostState
    ) {
        switch outcome {
        case .delivered:
            post.receipt.delivered &+= 1
            observation.countDelivery()
        case .queued:
            post.receipt.queued &+= 1
        case .expired:
            post.receipt.expired &+= 1
            expire(observation)
        case .watched:
            break
        }
    }

    @inline(never)
    private func count(_ error: any Error, _ observation: Observation, _ post: inout PostState) {
        guard report(error, in: observation) else { return }
        post.receipt.delivered &+= 1
        if post.countsInline { observation.countDelivery() }
    }
}
