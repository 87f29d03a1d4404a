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
    private(set) var payload = InlinePayload()

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

    var parcel: Unmanaged<AnyParcel>? {
        guard content > Self.payloadAndReference else { return nil }
        return UnsafeRawPointer(bitPattern: content).map { .fromOpaque($0) }
    }

    /// The parcel, with the references to it and to its observation.
    consuming func takeParcel() -> (AnyParcel, Observation)? {
        parcel.map { ($0.takeRetainedValue(), observation.takeRetainedValue()) }
    }
}

/// Deliveries in their order. A mailbox has two queues and exchanges them, so that posts fill one
/// while a drain empties the other.
typealias MailQueue = FIFO<MailEntry>
