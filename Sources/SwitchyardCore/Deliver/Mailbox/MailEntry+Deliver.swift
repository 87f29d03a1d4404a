// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MailEntry {
    /// Calls the handler on this thread, unless the observation has ended. Parcels only.
    ///
    /// - Returns: The outcome: `.queued` if the delivery is kept in a pause; nil if there is none.
    @discardableResult
    consuming func deliver() -> DeliveryOutcome? {
        guard let parcel else { preconditionFailure("a delivery that is put off has a parcel") }
        defer { release() }
        return parcel._withUnsafeGuaranteedRef { parcel in
            observation._withUnsafeGuaranteedRef { observation in
                if observation.keepsInPause(parcel) { return .queued }
                return parcel.deliver(to: observation)
            }
        }
    }

    /// Calls the handler in this task, unless the observation has ended. Parcels only.
    consuming func deliverAsync() async {
        guard let (parcel, observation) = takeParcel() else {
            preconditionFailure("a delivery to an async handler has a parcel")
        }
        if !observation.keepsInPause(parcel) { await parcel.deliverAsync(to: observation) }
    }

    /// Makes a delivery that was put off: through the observer's mailbox, or, without one, here.
    consuming func deliverPutOff() {
        guard let (parcel, observation) = takeParcel() else { return }
        guard let mailbox = observation.mailbox else {
            if !observation.keepsInPause(parcel) { parcel.deliver(to: observation) }
            return
        }
        if TraceSampling.isOn { parcel.isDue(at: TraceClock.now) }
        // A bound may ask the handler for the payload's key, which is the user's code, and a hook
        // that is told of a full mailbox may wait for the observation's end.
        let lost = observation.whileInside {
            // The post has its receipt, which calls the delivery queued: a bound that waits keeps
            // it until there is room, as for a post that waits and never gives up.
            mailbox.enqueuePutOff(parcel, to: observation) {
                mailbox.enqueue($0, to: observation, for: PostWait(.nothing), &$1)
            }
        }
        if let lost { mailbox.report(putOff: lost, of: observation) }
    }

    /// Gives up a delivery that was not made.
    consuming func discard() {
        parcel?._withUnsafeGuaranteedRef { $0.wasDiscarded() }
        release()
    }

    /// Ends the observation, because its observer has died.
    consuming func expire() {
        traceEnd(.expired)
        parcel?._withUnsafeGuaranteedRef { $0.observerDied() }
        observation._withUnsafeGuaranteedRef { if !$0.isCancelled { $0.expire() } }
        discard()
    }

    /// The parcel alone, which the caller has to deliver.
    consuming func unwrap() -> AnyParcel {
        guard let (parcel, _) = takeParcel() else {
            preconditionFailure("a delivery that is put off has a parcel")
        }
        return parcel
    }

    /// Tells the parcel that its mailbox is ending; returns the number of deliveries that end with
    /// it and were not in the mailbox yet.
    func mailboxIsEnding() -> Int {
        parcel?._withUnsafeGuaranteedRef { $0.mailboxIsEnding() } ?? 0
    }

    /// Tells the parcel, after that, that its mailbox has ended.
    ///
    /// - Returns: Whether a post that waits for the delivery counts it as undeliverable.
    @discardableResult
    func mailboxEnded(_ label: String) -> Bool {
        traceEnd(.undeliverable)
        return parcel?._withUnsafeGuaranteedRef { $0.mailboxEnded(label) } ?? false
    }

    /// Writes down, if the entry is a traced payload, how the delivery ended. A parcel does so
    /// itself.
    private func traceEnd(_ kind: TraceEvent.Kind) {
        if !isTraced { return }
        let observation = observation._withUnsafeGuaranteedRef(\.address)
        TraceFrame.append(kind, of: payload.post, to: observation)
    }

    /// Whether the delivery was given up while it waited.
    var isDiscarded: Bool { parcel?._withUnsafeGuaranteedRef(\.isDiscarded) ?? false }

    /// Whether the delivery goes to another observation if this one, or its mailbox, ends before it
    /// is made.
    var movesOn: Bool { parcel?._withUnsafeGuaranteedRef(\.movesOn) ?? false }

    /// Whether the entry is no delivery, but the end of the registration behind those before it.
    var endsRegistration: Bool { parcel?._withUnsafeGuaranteedRef(\.endsRegistration) ?? false }

    /// Whether the delivery is made although its observation has ended.
    var isClaimed: Bool { parcel?._withUnsafeGuaranteedRef(\.isClaimed) ?? false }
}
