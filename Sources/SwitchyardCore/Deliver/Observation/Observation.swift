// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard
internal import Synchronization

/// One registration: where it stands, whether it is still on, and what is called.
@_spi(Engine) public final class Observation: @unchecked Sendable {
    // Sendable: `state` and the counters are atomic; `handler` is used by threads that claimed the
    // observation and released by the one that turns `state` to released; `storedOwner` and `sequence` are
    // set under the registry's lock before any other thread can see this; the rest is constant.

    /// The bits of `state`.
    enum State {
        static let cancelled: UInt32 = 1
        static let released: UInt32 = 2
        static let ended: UInt32 = 3
        static let once: UInt32 = 4
        static let routed: UInt32 = 8
        /// Somebody waits for the deliveries under way.
        static let awaited: UInt32 = 16
        /// The bits that a plain observation has not: it is on, and called on the posting thread, any number
        /// of times.
        static let notPlain: UInt32 = 31 | paused
        /// The handler is a ``ClosureHandler``, which the loop over plain observations calls itself.
        static let closure: UInt32 = 32
        // The options of the registration (see ``ObservationOptions``).
        static let queued: UInt32 = 64
        static let concurrent: UInt32 = 128
        static let overtakes: UInt32 = 256
        /// Payloads wait in the mailbox as they are, without a parcel.
        static let inlinesPayload: UInt32 = 512
        /// The position of the two bits of ``ObservationOptions/suspension``.
        static let suspensionShift: UInt32 = 10
        /// One-shot, and claimed by its handler; see ``_AnyDeliveryHandler/claimsOnce``.
        static let onceInHandler: UInt32 = 4096
        /// One-shot, and claimed for the delivery that its cancellation flushed, until the handler takes
        /// that claim.
        static let claimedForFlush: UInt32 = 8192
        /// The registry knows its ``OwnerReference``.
        static let owned: UInt32 = 16384
        /// Its deliveries are kept, and not made.
        static let paused: UInt32 = 32768
        /// The registry knows its ``PausedDeliveries``.
        static let wasPaused: UInt32 = 65536
        /// The registry knows something about it that it does not know about most.
        static let ownedOrPaused = owned | wasPaused
        /// The bits that say how a delivery is queued.
        static let howToQueue = notPlain | queued | overtakes | inlinesPayload
    }

    let state: Atomic<UInt32>
    /// Deliveries under way that no thread's record shows, because they are asynchronous.
    let openClaims = Atomic<UInt32>(0)
    let handler: Unmanaged<_AnyDeliveryHandler>
    /// The mailbox through which its handler is called, retained; nil for the posting thread. Posts
    /// count no reference to it.
    let mailboxReference: Unmanaged<SharedMailbox>?
    /// The observation's priority, condition, pace and bound; nil for most observations.
    let flow: DeliveryFlow?
    /// The address of the observer object, or zero.
    let observerIdentity: UInt
    package let origin: RegistrationSite
    /// The number of deliveries that reached the handler, as far as they are counted.
    let delivered = Atomic<UInt64>(0)
    /// The number of deliveries lost or refused because the observer keeps a limited number of
    /// them.
    let lost = Atomic<UInt64>(0)
    package private(set) var sequence: UInt64 = 0
    /// The owner of the observation, retained.
    private var storedOwner: Unmanaged<ObservationOwner>?

    init(
        handler: consuming _AnyDeliveryHandler, mailbox: SharedMailbox?,
        observer: AnyObject? = nil, options: ObservationOptions, flow: DeliveryFlow?,
        queuesAlways: Bool = false, origin: RegistrationSite
    ) {
        self.handler = .passRetained(handler)
        mailboxReference = mailbox.map { .passRetained($0) }
        observerIdentity = observer.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
        self.origin = origin
        self.flow = flow
        var state: UInt32 = 0
        if options.isOnce {
            let claimsOnce = self.handler._withUnsafeGuaranteedRef(\.claimsOnce)
            state |= claimsOnce ? State.onceInHandler : State.once
        }
        if mailbox != nil || flow?.isPaced == true || flow?.isFiltered == true {
            state |= State.routed
        }
        if self.handler._withUnsafeGuaranteedRef(\.isClosure) { state |= State.closure }
        if options.isQueued || queuesAlways { state |= State.queued }
        if options.isConcurrent { state |= State.concurrent }
        if options.overtakes { state |= State.overtakes }
        if options.owner != nil { state |= State.owned }
        state |= UInt32(options.suspension & 3) << State.suspensionShift
        if flow == nil, self.handler._withUnsafeGuaranteedRef(\.takesInlinePayload) {
            state |= State.inlinesPayload
        }
        self.state = Atomic(state)
        self.handler._withUnsafeGuaranteedRef { $0.belongs(to: self) }
        mailbox?.keptTarget?.registrationBegan(self)
    }

    deinit {
        if state.load(ordering: .acquiring) & State.released == 0 {
            handler.release()
            mailboxReference?._withUnsafeGuaranteedRef { $0.keptTarget?.registrationEnded(self) }
        }
        mailboxReference?.release()
        storedOwner?.release()
    }

    /// The mailbox through which its handler is called; nil for the posting thread.
    package var mailbox: SharedMailbox? { mailboxReference?.takeUnretainedValue() }

    /// Whether it ends with an observer object.
    package var hasObserver: Bool { observerIdentity != 0 }

    var priority: Int { flow?.priority ?? 0 }

    /// The options with which it was registered.
    package var options: ObservationOptions {
        var options = ObservationOptions()
        options.isOnce = has(State.once) || has(State.onceInHandler)
        options.priority = priority
        options.isQueued = has(State.queued)
        options.isConcurrent = has(State.concurrent)
        options.bound = flow?.ownBound
        options.pace = flow?.pace
        options.overtakes = has(State.overtakes)
        options.suspension = suspension
        return options
    }

    /// The treatment of deliveries while the center is suspended; see
    /// ``ObservationOptions/suspension``.
    package var suspension: UInt8 {
        UInt8(truncatingIfNeeded: state.load(ordering: .relaxed) >> State.suspensionShift & 3)
    }

    /// Whether the state has this bit; for those that don't change.
    @inline(__always)
    func has(_ bit: UInt32) -> Bool { state.load(ordering: .relaxed) & bit != 0 }

    /// The owner of the observation.
    var owner: ObservationOwner { unmanagedOwner.takeUnretainedValue() }

    /// The same as ``owner``, for callers that count no reference to it.
    @inline(__always)
    var unmanagedOwner: Unmanaged<ObservationOwner> {
        guard let storedOwner else { preconditionFailure("an observation that was never added") }
        return storedOwner
    }

    /// Guard: the registry's lock, before the observation is published.
    func belongs(to owner: ObservationOwner, sequence: UInt64) {
        storedOwner = .passRetained(owner)
        self.sequence = sequence
    }

    /// The word that a thread publishes in its record while it is inside the handler.
    @inline(__always)
    var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// The observation's bits, as seen by the calling thread; see ``State``.
    @inline(__always)
    var seenState: UInt32 { state.load(ordering: .acquiring) }

    /// Whether the end of a delivery has to be told (``deliveryEnded()``): the observation has ended,
    /// and its handler waits for the last delivery to let go, as may somebody else.
    @inline(__always)
    var listensForEnds: Bool {
        state.load(ordering: .acquiring) & State.ended == State.cancelled
    }

    /// Whether no delivery starts any more.
    @inline(__always)
    package var isCancelled: Bool { state.load(ordering: .acquiring) & State.cancelled != 0 }
}

// MARK: - Claiming

extension Observation {
    /// Whether a delivery may start now. One-shot observations give the claim once.
    ///
    /// The caller has written its hazard slot, so that a thread that cancels sees the delivery.
    @inline(__always)
    func claim() -> Bool {
        let seen = state.load(ordering: .acquiring)
        if seen & (State.cancelled | State.once) == 0 { return true }
        return claimOnce(seen)
    }

    /// The same, and false while the observation is paused.
    @inline(__always)
    func claimUnlessPaused() -> Bool {
        let seen = state.load(ordering: .acquiring)
        if seen & (State.cancelled | State.once | State.paused) == 0 { return true }
        return seen & State.paused == 0 && claimOnce(seen)
    }

    /// For a handler that ``_AnyDeliveryHandler/claimsOnce``: whether it may call the user's code. Called
    /// within a delivery that was claimed.
    package func claimOnce() -> Bool {
        !has(State.onceInHandler) || claimAndRemove() || takeFlushClaim()
    }

    private func takeFlushClaim() -> Bool {
        let kept = ~State.claimedForFlush
        return state.bitwiseAnd(kept, ordering: .acquiringAndReleasing).oldValue & ~kept != 0
    }

    /// Claims a delivery that is not bound to a thread, for code that may suspend; to be ended by
    /// ``endOpenClaim()``. False when the observation has ended.
    package func beginOpenClaim() -> Bool {
        openClaims.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if claim() { return true }
        endOpenClaim()
        return false
    }

    /// The same as ``beginOpenClaim()``, for code that uses the handler and delivers nothing: a
    /// one-shot observation can still be delivered to.
    func beginUse() -> Bool {
        openClaims.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if !isCancelled { return true }
        endOpenClaim()
        return false
    }

    /// The same as ``beginOpenClaim()``, for the delivery that a cancellation flushes. The observation
    /// ends before the handler is called, so a one-shot that claims in its handler is claimed here.
    func beginFlush() -> Bool {
        guard beginOpenClaim() else { return false }
        if !has(State.onceInHandler) { return true }
        guard claimAndRemove() else {
            endOpenClaim()
            return false
        }
        state.bitwiseOr(State.claimedForFlush, ordering: .acquiringAndReleasing)
        return true
    }

    /// Ends what ``beginOpenClaim()`` or ``beginUse()`` began.
    package func endOpenClaim() {
        openClaims.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        if listensForEnds { deliveryEnded() }
    }

    private func claimOnce(_ seen: UInt32) -> Bool {
        seen & State.cancelled == 0 && claimAndRemove()
    }

    private func claimAndRemove() -> Bool {
        guard markCancelled() else { return false }
        _ = withOwner { $0.remove(self) }
        return true
    }

    /// Turns the state to cancelled; true for the one caller who did.
    func markCancelled() -> Bool {
        let before = state.bitwiseOr(State.cancelled, ordering: .sequentiallyConsistent).oldValue
        return before & State.cancelled == 0
    }
}

// MARK: - Ending

extension Observation {
    /// Ends the registration: when this returns, no delivery starts any more, on any thread.
    ///
    /// The handler is released here or, while it runs somewhere, by the thread that leaves it last.
    /// Never waits for a handler.
    package func cancel() {
        if isCancelled { return }
        flow?.flush(self, inline: false)
        guard markCancelled() else { return }
        releaseHandler(unlessWalkedIn: withOwner { $0.remove(self) })
    }

    @inline(__always)
    private func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result {
        unmanagedOwner._withUnsafeGuaranteedRef(body)
    }

    /// Releases the handler; if threads are inside it, the last to leave does. Then wakes callers
    /// that wait for deliveries to end. Call it after a delivery whose hazard slot is cleared, if
    /// ``listensForEnds``.
    @inline(never)
    func deliveryEnded() {
        releaseHandler(unlessWalkedIn: owner.walkedLists)
    }

    private func releaseHandler(unlessWalkedIn lists: WalkedLists) {
        flow?.observationEnded()
        // A full fence between what this thread wrote, the state or its hazard slot, and its look at
        // the others' records.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // The claims are read first: a delivery that gives one back has written its hazard slot before. Who has
        // one now comes here when it is given back.
        if openClaims.load(ordering: .sequentiallyConsistent) == 0,
            !(othersMayBeInside(lists) ? isInFlight : HazardRecord.callersContain(address))
        {
            releaseOnce()
        }
        // Callers of `cancelAndWait` look again, whichever thread has left the handler.
        if state.load(ordering: .acquiring) & State.awaited != 0 { DeliveryEnds.signal(address) }
    }

    /// Whether another thread may be inside the handler, or about to call it. If so, the hazard slots
    /// of all that are have become visible, and a thread that writes its slot from now on finds that the
    /// observation is cancelled.
    private func othersMayBeInside(_ lists: WalkedLists) -> Bool {
        let registry = withOwner(\.registryIdentity)
        for record in HazardRecord.All() where !record.pointee.isCallers {
            if record.pointee.bias.load(ordering: .acquiring) != Bias.none,
                HazardRecord.revokeBias()
            {
                return true
            }
            if record.pointee.searching.load(ordering: .acquiring) == registry
                || lists.areWalked(by: record.pointee) || record.pointee.contains(address)
            {
                // The other thread may have claimed the observation a moment ago, and its slot may
                // not be visible yet.
                switchyard_heavy_fence()
                return true
            }
        }
        return false
    }

    /// Whether a thread or a task is inside the handler, or about to find that it is cancelled.
    var isInFlight: Bool {
        if openClaims.load(ordering: .sequentiallyConsistent) != 0 { return true }
        for record in HazardRecord.All() where record.pointee.contains(address) { return true }
        return false
    }

    private func releaseOnce() {
        let before = state.bitwiseOr(State.released, ordering: .acquiringAndReleasing).oldValue
        if before & State.released == 0 {
            handler.release()
            flow?.release()
            mailboxReference?._withUnsafeGuaranteedRef { $0.keptTarget?.registrationEnded(self) }
        }
    }
}
