// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension NotificationEngine {
    /// Delivers to one observation of a post, unless it has ended.
    @inline(__always)
    func deliver<Payload>(
        _ payload: Payload, to observation: Unmanaged<Observation>, _ post: inout PostState,
        _ parcel: () -> AnyParcel
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            // First the mark, then the look at the state. Nothing keeps the processor from turning
            // that around for other threads to see; who cancels makes up for it with a heavy fence.
            post.mark.pointee.store(observation.address, ordering: .releasing)
            switchyard_compiler_fence()
            if observation.state.load(ordering: .acquiring) == 0 {
                call(observation, payload, &post)
            } else {
                route(observation, payload, &post, parcel)
            }
            post.mark.pointee.store(ThreadRecord.idle, ordering: .releasing)
            switchyard_compiler_fence()
            if observation.state.load(ordering: .relaxed) & Observation.State.cancelled != 0 {
                observation.releaseHandlerIfIdle()
            }
        }
    }

    /// Calls or queues, for observations that are anything but plain.
    @inline(never)
    private func route<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState,
        _ parcel: () -> AnyParcel
    ) {
        if let mailbox = observation.mailbox {
            if observation.isCancelled { return }
            let inline =
                observation.options.overtakes && mailbox.target.isCurrent
                || !observation.options.queued && post.deliversInline(to: mailbox)
            if !inline { return queue(observation, mailbox, &post, parcel) }
        }
        if observation.claim() { call(observation, payload, &post) }
    }

    private func queue(
        _ observation: Observation, _ mailbox: DeliveryMailbox, _ post: inout PostState,
        _ parcel: () -> AnyParcel
    ) {
        if mailbox.enqueue(MailEntry(.passUnretained(observation), post.parcel(parcel))) {
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
            switch outcome {
            case .delivered:
                post.receipt.delivered &+= 1
                if post.countsInline { observation.countDelivery() }
            case .queued:
                post.receipt.queued &+= 1
            case .expired:
                post.receipt.expired &+= 1
                expire(observation)
            }
        } catch {
            if report(error, in: observation) { post.receipt.delivered &+= 1 }
        }
    }
}
