// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

extension NotificationEngine {
    /// Makes of a payload what may wait in a mailbox; told whether the object's deinit has begun,
    /// because then it must not be kept.
    package typealias Detach<Payload> = (Payload, _ objectIsGone: Bool) -> Payload

    /// Calls the observations of a single list, one after the other, for as long as they are plain:
    /// on, on the posting thread, any number of times, and not counted.
    ///
    /// - Returns: The first that is not and those behind it; nil when all were.
    @inline(__always)
    package func callPlain<Payload>(
        _ payload: Payload, _ match: borrowing Match, _ receipt: inout PostReceipt,
        for wait: PostWait? = nil
    ) -> Range<Int>? {
        if match.isEmpty { return nil }
        if !match.isPlain || wait != nil || hooks.collectsStatistics.load(ordering: .relaxed) {
            return 0..<Int.max
        }
        let list = ObservationListView(match[0])
        let mark = match.mark
        var index = 0
        while index < list.count {
            let observation = list[index]
            observation._withUnsafeGuaranteedRef {
                mark.pointee.store($0.address, ordering: .releasing)
            }
            switchyard_light_fence()
            if observation._withUnsafeGuaranteedRef({ $0.state.load(ordering: .acquiring) }) != 0 {
                return index..<list.count
            }
            observation._withUnsafeGuaranteedRef { observation in
                call(observation, payload, &receipt)
                mark.pointee.store(ThreadRecord.idle, ordering: .releasing)
                switchyard_light_fence()
                if observation.listensForEnds { observation.deliveryEnded() }
            }
            index &+= 1
        }
        return nil
    }

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
            switchyard_light_fence()
            if observation.state.load(ordering: .acquiring) == 0 {
                call(observation, payload, &post)
            } else {
                route(observation, payload, &post, subject, detach)
            }
            post.mark.pointee.store(ThreadRecord.idle, ordering: .releasing)
            switchyard_light_fence()
            if observation.listensForEnds { observation.deliveryEnded() }
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
            let parcel = wrap(
                post.parcel { pack(payload, observation, subject, detach) }, observation, &post)
            return pace(parcel, to: observation, pacer, &post)
        }
        switch post.place(of: observation) {
        case .here:
            callIfOn(observation, payload, &post)
        case .inTurn(let mailbox):
            mailbox._withUnsafeGuaranteedRef { mailbox in
                mailbox.inTurn { callIfOn(observation, payload, &post) }
            }
        case .mailbox(let mailbox):
            let parcel = wrap(
                post.parcel { pack(payload, observation, subject, detach) }, observation, &post)
            mailbox._withUnsafeGuaranteedRef { mailbox in
                queue(parcel, to: observation, mailbox, for: post.wait, &post.receipt)
            }
        }
    }

    private func pack<Payload>(
        _ payload: Payload, _ observation: Observation, _ subject: Subject,
        _ detach: Detach<Payload>
    ) -> AnyParcel {
        let isGone = subject.isGone
        return observation.handler._withUnsafeGuaranteedRef { handler in
            unsafeDowncast(handler, to: Handler<Payload>.self)
                .pack(detach(payload, isGone), objectIsGone: isGone, center: self)
        }
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
            } else if let outcome = entry.deliver() {
                // A wait counts it where it is made.
                if post.wait?.goal != .handled { post.receipt.count(outcome) }
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

    /// Calls the handler on this thread, and counts it if that is asked for.
    private func call<Payload>(
        _ observation: Observation, _ payload: Payload, _ post: inout PostState
    ) {
        let before = post.receipt.delivered
        if let wait = post.wait, wait.goal == .handled {
            call(observation, &post.receipt) { try $0.deliver(payload, for: wait) }
        } else {
            call(observation, payload, &post.receipt)
        }
        if post.countsInline, post.receipt.delivered != before { observation.countDelivery() }
    }

    /// Calls the handler on this thread: the last step of what is delivered inline. The observation
    /// was claimed.
    @inline(__always)
    private func call<Payload>(
        _ observation: Observation, _ payload: Payload, _ receipt: inout PostReceipt
    ) {
        call(observation, &receipt) { (handler: Handler<Payload>) in try handler.deliver(payload) }
    }

    @inline(__always)
    private func call<Payload>(
        _ observation: Observation, _ receipt: inout PostReceipt,
        _ deliver: (Handler<Payload>) throws -> DeliveryOutcome
    ) {
        do {
            let outcome = try observation.handler._withUnsafeGuaranteedRef { handler in
                try deliver(unsafeDowncast(handler, to: Handler<Payload>.self))
            }
            if outcome == .delivered {
                receipt.delivered &+= 1
            } else {
                count(outcome, observation, &receipt)
            }
        } catch {
            if report(error, in: observation) { receipt.delivered &+= 1 }
        }
    }

    @inline(never)
    private func count(
        _ outcome: DeliveryOutcome, _ observation: Observation, _ receipt: inout PostReceipt
    ) {
        receipt.count(outcome)
        if outcome == .expired { expire(observation) }
    }
}
