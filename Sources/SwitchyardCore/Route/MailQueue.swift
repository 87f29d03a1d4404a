// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox: a parcel, or, if it is small and plain, the payload itself.
///
/// With a parcel it owns what it names, and is delivered or discarded once. With a payload, nothing
/// is allocated, and no reference is counted for each: of those in a row that are for the same
/// observation, the first brings a reference, and the mailbox keeps it for the others. Whoever
/// counted a reference for each would wait for the cache line in which the other thread counts it.
struct MailEntry: @unchecked Sendable {
    // Sendable: what it names is, and it is handed over from one owner to the next.
    let observation: Unmanaged<Observation>
    /// The parcel's address, or one of the constants below.
    private let content: UInt
    private var payload = InlinePayload()

    private static let payload: UInt = 0
    private static let payloadAndReference: UInt = 1

    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.observation = observation.retain()
        content = UInt(bitPattern: Unmanaged.passRetained(parcel).toOpaque())
    }

    /// - Parameter bringsReference: whether the mailbox has to keep the observation because of it.
    init(
        _ observation: Unmanaged<Observation>, _ payload: InlinePayload, bringsReference: Bool
    ) {
        self.observation = bringsReference ? observation.retain() : observation
        content = bringsReference ? Self.payloadAndReference : Self.payload
        self.payload = payload
    }

    /// Whether the mailbox has to keep the observation until the next that does comes to its turn.
    var bringsReference: Bool { content == Self.payloadAndReference }

    /// Whether it owns no reference to its observation, whatever it brings.
    var isPayload: Bool { content <= Self.payloadAndReference }

    private var parcel: Unmanaged<AnyParcel>? {
        guard content > Self.payloadAndReference else { return nil }
        return UnsafeRawPointer(bitPattern: content).map { .fromOpaque($0) }
    }

    /// The parcel, with the references to it and to its observation.
    private consuming func takeParcel() -> (AnyParcel, Observation)? {
        parcel.map { ($0.takeRetainedValue(), observation.takeRetainedValue()) }
    }
}

// MARK: - What becomes of it

extension MailEntry {
    /// Calls the handler on this thread, unless the observation has ended, and has it counted.
    ///
    /// - Parameter run: keeps the observation, unless this is a parcel's.
    consuming func deliver(in run: inout DrainRun) {
        guard isPayload else {
            deliver()
            return
        }
        let outcome = observation._withUnsafeGuaranteedRef { $0.deliver(payload) }
        switch outcome {
        case .delivered, .displaced, .queued: run.countDelivery()
        default: break
        }
    }

    /// Calls the handler on this thread, unless the observation has ended. Parcels only.
    @discardableResult
    consuming func deliver() -> DeliveryOutcome? {
        guard let parcel else { preconditionFailure("what is put off waits in parcels") }
        defer {
            parcel.release()
            observation.release()
        }
        return parcel._withUnsafeGuaranteedRef { parcel in
            observation._withUnsafeGuaranteedRef { parcel.deliver(to: $0) }
        }
    }

    /// Calls the handler in this task, unless the observation has ended. Parcels only.
    consuming func deliverAsync() async {
        guard let (parcel, observation) = takeParcel() else {
            preconditionFailure("what async handlers are called with waits in parcels")
        }
        await parcel.deliverAsync(to: observation)
    }

    /// Delivers what was put off: through the observer's mailbox, or, without one, here.
    consuming func deliverLate() {
        guard let (parcel, observation) = takeParcel() else { return }
        if let mailbox = observation.mailbox {
            var receipt = PostReceipt()
            observation.queue(parcel, mailbox, for: nil, &receipt)
        } else {
            parcel.deliver(to: observation)
        }
    }

    /// Gives up what was not delivered.
    consuming func discard() { _ = takeParcel() }

    /// Ends the observation, because its observer has died.
    consuming func expire() {
        parcel?._withUnsafeGuaranteedRef { $0.observerDied() }
        observation._withUnsafeGuaranteedRef { $0.expire() }
        discard()
    }

    /// The parcel alone, which the caller has to deliver.
    consuming func unwrap() -> AnyParcel {
        guard let (parcel, _) = takeParcel() else {
            preconditionFailure("what is put off waits in parcels")
        }
        return parcel
    }

    /// Tells the parcel that its mailbox is ending; how many deliveries end with it that were not in
    /// the mailbox yet.
    func mailboxIsEnding() -> Int {
        parcel?._withUnsafeGuaranteedRef { $0.mailboxIsEnding() } ?? 0
    }

    /// Tells the parcel, after that, that its mailbox has ended.
    func mailboxEnded(_ label: String) {
        parcel?._withUnsafeGuaranteedRef { $0.mailboxEnded(label) }
    }

    /// Whether the delivery was given up while it waited.
    var isHollow: Bool { parcel?._withUnsafeGuaranteedRef(\.isHollow) ?? false }
}

/// Deliveries in their order. A mailbox has two queues and exchanges them, so that posts fill one
/// while a drain empties the other.
typealias MailQueue = FIFO<MailEntry>
