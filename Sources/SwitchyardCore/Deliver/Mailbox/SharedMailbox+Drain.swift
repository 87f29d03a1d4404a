// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

extension SharedMailbox {
    /// Delivers the waiting mail, on the calling thread: the target calls this after a wake-up.
    ///
    /// Takes at most what waited when it began. If there is more by then, the target is woken
    /// again, so that a loop that drains also gets to its timers and sources.
    package func drainAll() { deliver(atMost: .max) }

    /// Delivers at most `limit` waiting deliveries.
    ///
    /// - Returns: The number taken.
    @discardableResult
    package func deliver(atMost limit: Int) -> Int {
        if limit < .max { takeOutDiscarded() }
        let begun = beginDrain()
        let most = min(begun.count, limit)
        var taken = 0
        DrainFrame.inside(self, isDrain: true) {
            if begun.asksForMore { prepare(begun) }
            var run = DrainRun()
            while taken < most, let entry = next(&run) {
                run.deliver(entry)
                taken += 1
            }
            run.end()
        }
        endDrain(nests: begun.nests)
        return taken
    }

    /// A drain that has begun.
    struct BegunDrain {
        /// The number of deliveries to make.
        let count: Int
        /// The objects to let go first.
        let released: [ReleasedObject]
        /// Whether handlers may run the target's loop.
        let nests: Bool

        /// Whether something is to be done before the first delivery.
        @inline(__always)
        var asksForMore: Bool { nests && count > 1 || !released.isEmpty }
    }

    @inline(__always)
    func beginDrain() -> BegunDrain {
        let nests = target.runsNestedLoops
        let (count, released) = outbox.withLock { outbox in
            outbox.depth += 1
            let before = outbox.entries.count
            return inbox.withLock { $0.beginDrain(behind: before, nests: nests) }
        }
        return BegunDrain(count: count, released: released, nests: nests)
    }

    /// Does what comes before the first delivery of a drain. It may be the user's code, so no lock
    /// is held, and a drain on a thread has its frame by now.
    @inline(never)
    func prepare(_ drain: BegunDrain) {
        if drain.nests, drain.count > 1 { target.wake(self) }
        if !drain.released.isEmpty {
            ResumableLoop(over: drain.released) { $0.object.release() }.run()
        }
    }

    /// - Parameter nests: whether handlers may run the target's loop.
    func endDrain(nests: Bool) {
        var done: Unmanaged<Observation>?
        let wakes = outbox.withLock { outbox in
            outbox.depth -= 1
            let isEmpty = outbox.entries.isEmpty
            if isEmpty { swap(&done, &outbox.kept) }
            return inbox.withLock { $0.endDrain(isEmpty: isEmpty, nests: nests) }
        }
        if wakes { target.wake(self) }
        // The last reference may run the user's code, which may end the thread.
        done?.release()
    }

    /// Ends a drain, or an inline delivery, whose handler has ended its thread: posts wake the
    /// target again, and may be inline.
    func threadEnded(inDrain isDrain: Bool) {
        if isDrain {
            endDrain(nests: target.runsNestedLoops)
        } else {
            outbox.withLock { $0.depth -= 1 }
        }
    }

    /// Takes the next entry. If it owns no reference to its observation, `run` becomes the run of
    /// that.
    func next(_ run: inout DrainRun) -> MailEntry? {
        var ended = DrainRun()
        var done: Unmanaged<Observation>?
        let outbox = self.outbox.acquire()
        if outbox.pointee.entries.isEmpty { refill(&outbox.pointee) }
        let entry = outbox.pointee.entries.popFirst()
        if let entry, !run.isOf(entry.observation) {
            swap(&ended, &run)
            if !entry.ownsObservation { run = DrainRun(of: entry.observation) }
        }
        if let entry, entry.bringsReference {
            done = outbox.pointee.kept
            outbox.pointee.kept = entry.observation
        }
        self.outbox.release()
        ended.end()
        done?.release()
        return entry
    }

    /// Guard: `outbox`.
    private func refill(_ outbox: inout Outbox) {
        inbox.withLock { $0.exchange(&outbox.entries) }
    }
}

// MARK: - Deliveries in a row

/// Deliveries that a drain makes in a row to one observation. The run keeps the observation, so its
/// entries need not.
///
/// The run adds its count to the observation at the end, because each change of that counter makes
/// posting threads wait.
struct DrainRun {
    /// The most deliveries that are counted at once: the count lags by no more than that.
    private static let most: UInt64 = 64

    /// Retained.
    private let observation: Unmanaged<Observation>?
    private var count: UInt64 = 0

    init() { observation = nil }

    /// A run for `observation`, which somebody keeps.
    init(of observation: Unmanaged<Observation>) { self.observation = observation.retain() }

    @inline(__always)
    func isOf(_ observation: Unmanaged<Observation>) -> Bool {
        self.observation?.toOpaque() == observation.toOpaque()
    }

    /// Makes a delivery on this thread, unless its observation has ended, and counts it. If the
    /// entry has no parcel, the run is of its observation.
    mutating func deliver(_ entry: consuming MailEntry) {
        guard entry.isPayload else {
            entry.deliver()
            return
        }
        let (observation, payload) = (entry.observation, entry.payload)
        if entry.isTraced { return deliver(traced: payload, to: observation) }
        let outcome = observation._withUnsafeGuaranteedRef { $0.deliver(payload) }
        if outcome == nil { keepInPause(payload, observation) } else { count(outcome) }
    }

    /// Keeps a payload that was not delivered, if that is because its observation is paused.
    @inline(never)
    private mutating func keepInPause(
        _ payload: InlinePayload, _ observation: Unmanaged<Observation>
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            guard observation.has(Observation.State.wasPaused) else { return }
            if observation.keepInPause(payload, isTraced: false) { return }
            // The pause has ended meanwhile.
            count(observation.deliver(afterPause: payload))
        }
    }

    @inline(never)
    private mutating func deliver(
        traced payload: InlinePayload, to observation: Unmanaged<Observation>
    ) {
        observation._withUnsafeGuaranteedRef { observation in
            // Before the trace begins: the delivery does not end here.
            if observation.isPaused, observation.keepInPause(payload, isTraced: true) { return }
            count(observation.deliver(traced: payload))
        }
    }

    @inline(__always)
    private mutating func count(_ outcome: DeliveryOutcome?) {
        switch outcome {
        case .delivered, .consumed, .displaced, .queued: countDelivery()
        default: break
        }
    }

    @inline(__always)
    private mutating func countDelivery() {
        count &+= 1
        if count == Self.most { tellCount() }
    }

    /// Adds the count to the observation, and releases it. Not under a lock.
    mutating func end() {
        if count > 0 { tellCount() }
        observation?.release()
    }

    private mutating func tellCount() {
        observation?._withUnsafeGuaranteedRef { observation in
            _ = observation.delivered.wrappingAdd(count, ordering: .relaxed)
        }
        count = 0
    }
}
