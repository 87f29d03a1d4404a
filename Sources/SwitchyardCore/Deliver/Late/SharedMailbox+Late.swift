// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension SharedMailbox {
    /// Sets the watch on the deliveries of the center with this registry; nil for none.
    ///
    /// - Returns: The previous watch.
    func setWatch(_ watch: LateWatch?, ofCenter registry: UInt) -> LateWatch? {
        outbox.withLock { outbox in
            let index = outbox.watches.firstIndex { $0.registry == registry }
            let old = index.map { Self.late(outbox.watches.remove(at: $0)) }
            if let watch { outbox.watches.append(watch) }
            let isWatched = !outbox.watches.isEmpty
            inbox.withLock { $0.isWatched(isWatched) }
            return old
        }
    }

    private func watch(of observation: Observation) -> LateWatch? {
        let registry = observation.owner.registryIdentity
        return outbox.withLock { $0.watches.first { $0.registry == registry }.map(Self.late) }
    }

    private static func late(_ watch: MailboxWatch) -> LateWatch {
        unsafeDowncast(watch, to: LateWatch.self)
    }

    /// Calls `deliver`, which makes an inline delivery, and watches it if its center has asked.
    @inline(never)
    func watching(_ observation: Observation, _ deliver: () -> Void) {
        guard let watch = watch(of: observation) else { return deliver() }
        _ = watch.deliver(to: observation, .none) { Optional(deliver()) }
    }

    /// Adds an entry that ``MailInbox/add(_:)`` did not take because a center measures late
    /// deliveries here.
    ///
    /// - Returns: False if the target has ended; the entry is still the caller's.
    @inline(never)
    func enqueueWatched(_ entry: MailEntry, _ observation: Observation) -> Bool {
        guard let parcel = entry.parcel?.takeUnretainedValue(), parcel.callsHandler,
            let watch = watch(of: observation)
        else {
            return enqueue(for: observation) { $0.addWatched(entry) }
        }
        let timed = TimedParcel(parcel, by: watch)
        if enqueueWatched(timed, observation) {
            // The parcel inside has taken the entry's place.
            _ = entry.takeParcel()
            return true
        }
        return false
    }

    /// Queues a payload without a parcel in a watched mailbox. The payload gets a parcel if the
    /// observation's own center watches.
    @inline(never)
    func enqueueWatched(
        _ payload: InlinePayload, _ observation: Observation, isTraced: Bool = false
    ) -> Bool {
        if isClosed { return false }
        guard let watch = watch(of: observation) else {
            return enqueue(for: observation) { inbox in
                inbox.addUnwatched(of: observation.address) { isFirst in
                    MailEntry(
                        .passUnretained(observation), payload, bringsReference: isFirst,
                        isTraced: isTraced)
                }
            }
        }
        let inline = InlineParcel(payload)
        let parcel =
            isTraced ? TracedParcel(inline, of: payload.post, to: observation) : inline
        return enqueueWatched(TimedParcel(parcel, by: watch), observation)
    }

    private func enqueueWatched(_ parcel: AnyParcel, _ observation: Observation) -> Bool {
        let entry = MailEntry(.passUnretained(observation), parcel)
        if enqueue(for: observation, { $0.addWatched(entry) }) { return true }
        _ = entry.takeParcel()
        return false
    }
}
