// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox: a parcel, or, if it is small and plain, the payload itself.
///
/// With a parcel, the entry owns the parcel and a reference to its observation, and is delivered or
/// discarded once. With a payload, nothing is allocated. Entries in a row for one observation share
/// a reference: the first brings it, and the mailbox keeps it. Counting one for each would make
/// posting and draining threads wait for one cache line.
struct MailEntry: @unchecked Sendable {
    // Sendable: what it names is, and it is handed over from one owner to the next.
    let observation: Unmanaged<Observation>
    /// The parcel's address, or, of a payload, the bits below.
    private let content: UInt
    private(set) var payload = InlinePayload()

    private static let reference: UInt = 1
    private static let traced: UInt = 2

    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.observation = observation.retain()
        content = UInt(bitPattern: Unmanaged.passRetained(parcel).toOpaque())
    }

    /// - Parameters:
    ///   - bringsReference: whether the entry brings a reference for the mailbox to keep.
    ///   - isTraced: whether the payload has the number of its post, which is traced.
    @inline(__always)
    init(
        _ observation: Unmanaged<Observation>, _ payload: InlinePayload, bringsReference: Bool,
        isTraced: Bool = false
    ) {
        self.observation = bringsReference ? observation.retain() : observation
        content = (bringsReference ? Self.reference : 0) | (isTraced ? Self.traced : 0)
        self.payload = payload
    }

    /// Whether the entry brings a reference to its observation, which the mailbox keeps until it
    /// takes the next entry that brings one.
    var bringsReference: Bool { content & ~Self.traced == Self.reference }

    /// Whether the entry holds its payload itself, with the number of its post.
    var isTraced: Bool { content & ~Self.reference == Self.traced }

    /// Whether the entry holds its payload itself, and so owns no reference to its observation.
    var isPayload: Bool { content <= Self.reference | Self.traced }

    var parcel: Unmanaged<AnyParcel>? {
        if isPayload { return nil }
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
