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
        switch post.place(of: observation) {
        case .here:
            callIfOn(observation, payload, &post)
        case .inTurn(let mailbox):
            mailbox.beginInline()
            callIfOn(observation, payload, &post)
            mailbox.endInline()
        case .mailbox(let mailbox):
            let parcel = post.parcel {
                let isGone = subject.isGone
                return Parcel(detach(payload, isGone), objectIsGone: isGone, center: self)
            }
            queue(observation, mailbox, parcel, &post)
        }
    }

    @inline(never)
    private func callIfOn<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState
    ) {
        if observation.claim() { call(observation, payload, &post) }
    }

    private func queue(
        _ observation: Observation, _ mailbox: DeliveryMailbox, _ parcel: AnyParcel,
        _ post: inout PostState
    ) {
        if mailbox.enqueue(MailEntry(.passUnretained(observation), parcel), from: self) {
            post.receipt.queued &+= 1
        } else {
            post.receipt.undeliverable &+= 1
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
