// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MailEntry {
    /// An entry that owns a reference to its observation.
    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.init(
            observationAddress: UInt(bitPattern: observation.retain().toOpaque()),
            content: UInt(bitPattern: Unmanaged.passRetained(parcel).toOpaque()) | Self.owner,
            payload: InlinePayload())
    }

    /// An entry that shares the reference to its observation with those before it.
    ///
    /// - Parameter bringsReference: whether the entry brings a reference for the mailbox to keep.
    @inline(__always)
    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel, bringsReference: Bool) {
        if bringsReference { _ = observation.retain() }
        let parcel = UInt(bitPattern: Unmanaged.passRetained(parcel).toOpaque())
        self.init(
            observationAddress: UInt(bitPattern: observation.toOpaque()),
            content: parcel | (bringsReference ? Self.reference : 0),
            payload: InlinePayload())
    }

    /// - Parameters:
    ///   - bringsReference: whether the entry brings a reference for the mailbox to keep.
    ///   - isTraced: whether the payload has the number of its post, which is traced.
    @inline(__always)
    init(
        _ observation: Unmanaged<Observation>, _ payload: InlinePayload, bringsReference: Bool,
        isTraced: Bool = false
    ) {
        if bringsReference { _ = observation.retain() }
        self.init(
            observationAddress: UInt(bitPattern: observation.toOpaque()),
            content: (bringsReference ? Self.reference : 0) | (isTraced ? Self.traced : 0),
            payload: payload)
    }

    @inline(__always)
    var observation: Unmanaged<Observation> {
        // An observation's address: never zero.
        .fromOpaque(UnsafeRawPointer(bitPattern: observationAddress).unsafelyUnwrapped)
    }

    var parcel: Unmanaged<AnyParcel>? {
        UnsafeRawPointer(bitPattern: parcelAddress).map { .fromOpaque($0) }
    }

    /// The parcel, with references to it and to its observation.
    consuming func takeParcel() -> (AnyParcel, Observation)? {
        parcel.map { ($0.takeRetainedValue(), takeObservation()) }
    }

    private consuming func takeObservation() -> Observation {
        ownsObservation ? observation.takeRetainedValue() : observation.takeUnretainedValue()
    }

    /// The entry with a reference of its own, for a caller that delivers it beside the drain.
    consuming func owningObservation() -> MailEntry {
        guard parcel != nil, !ownsObservation else { return self }
        return MailEntry(
            observationAddress: UInt(bitPattern: observation.retain().toOpaque()),
            content: parcelAddress | Self.owner, payload: payload)
    }

    /// Gives up the entry's references.
    consuming func release() {
        parcel?.release()
        if ownsObservation { observation.release() }
    }
}
