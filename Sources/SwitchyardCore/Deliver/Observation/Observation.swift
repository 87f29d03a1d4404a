// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// One registration: its context, its handler, its options, and whether it is still on.
@_spi(Engine) public final class Observation: @unchecked Sendable {
    // Sendable: `state` and the counters are atomic; `handler` is used by threads that claimed the
    // observation and released by the one that turns `state` to released; `storedOwner` and
    // `sequence` are set under the registry's lock before any other thread can see this; the rest
    // is constant.

    /// The bits of `state`.
    enum State {
        static let cancelled: UInt32 = 1
        static let released: UInt32 = 2
        static let ended: UInt32 = 3
        static let once: UInt32 = 4
        static let routed: UInt32 = 8
        /// Somebody waits for the deliveries under way.
        static let awaited: UInt32 = 16
        /// The bits that a plain observation has not: it is on, and called on the posting thread,
        /// any number of times.
        static let notPlain: UInt32 = 31 | paused
        /// The handler is a ``ClosureHandler``, which the loop over plain observations calls
        /// itself.
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
        /// One-shot, and claimed for the delivery that its cancellation flushed, until the handler
        /// takes that claim.
        static let claimedForFlush: UInt32 = 8192
        /// The registry knows its ``OwnerReference``.
        static let owned: UInt32 = 16384
        /// Its deliveries are kept, and not made.
        static let paused: UInt32 = 32768
        /// The registry knows its ``PausedDeliveries``.
        static let wasPaused: UInt32 = 65536
        /// Set if it has heard the latest values that were posted before it was registered.
        static let replays: UInt32 = 131_072
        /// Set if it shares its posts with the others of a group.
        static let grouped: UInt32 = 262_144
        /// Set if its handler also gets posts that one before it has consumed.
        static let seesConsumed: UInt32 = 524_288
        /// Its object has died, and it ends behind the deliveries that wait in its mailbox.
        static let ending: UInt32 = 1_048_576
        /// A post has waited for one of its deliveries.
        static let hasAwaitedMail: UInt32 = 2_097_152
        /// The registry has an ``OwnerReference`` or ``PausedDeliveries`` of it, and removes that
        /// with it.
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
        if mailbox != nil || options.consumes || flow?.needsRouting == true {
            state |= State.routed
        }
        if self.handler._withUnsafeGuaranteedRef(\.isClosure) { state |= State.closure }
        if self.handler._withUnsafeGuaranteedRef(\.seesConsumed) { state |= State.seesConsumed }
        if options.isQueued || queuesAlways { state |= State.queued }
        if options.isConcurrent, mailbox?.target.overlapsCalls == true { state |= State.concurrent }
        if options.overtakes { state |= State.overtakes }
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
        options.group = flow?.group?.name
        options.overtakes = has(State.overtakes)
        options.suspension = suspension
        options.replaysLatest = has(State.replays)
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

    /// Whether the observer hears the latest value first.
    package var replaysLatest: Bool { has(State.replays) }

    /// The owner of the observation.
    var owner: ObservationOwner { unmanagedOwner.takeUnretainedValue() }

    /// The owner of the observation, for callers that count no reference to it.
    @inline(__always)
    var unmanagedOwner: Unmanaged<ObservationOwner> {
        guard let storedOwner else { preconditionFailure("an observation that was never added") }
        return storedOwner
    }

    @inline(__always)
    func withOwner<Result>(_ body: (ObservationOwner) -> Result) -> Result {
        unmanagedOwner._withUnsafeGuaranteedRef(body)
    }

    /// Guard: the registry's lock, before the observation is published.
    func belongs(to owner: ObservationOwner, sequence: UInt64) {
        storedOwner = .passRetained(owner)
        self.sequence = sequence
        flow?.isRegistered(as: self)
    }

    /// The word that a thread publishes in its record while it is inside the handler.
    @inline(__always)
    var address: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// Whether a delivery waits in the mailbox until its turn: no option has it wait elsewhere, or
    /// displaces it.
    @inline(__always)
    var staysInMailbox: Bool { flow == nil && !has(State.concurrent) }

    /// The observation's bits, as seen by the calling thread; see ``State``.
    @inline(__always)
    var seenState: UInt32 { state.load(ordering: .acquiring) }

    /// Whether the end of a delivery has to be reported with ``deliveryEnded()``: the observation
    /// is cancelled, and its handler is not released yet. The last delivery releases it, and wakes
    /// the callers that wait for that.
    @inline(__always)
    var listensForEnds: Bool {
        state.load(ordering: .acquiring) & State.ended == State.cancelled
    }

    /// Whether no delivery starts any more.
    @inline(__always)
    package var isCancelled: Bool { state.load(ordering: .acquiring) & State.cancelled != 0 }
}
