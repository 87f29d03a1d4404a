// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MailEntry {
    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.init(
            observationAddress: UInt(bitPattern: observation.retain().toOpaque()),
            content: UInt(bitPattern: Unmanaged.passRetained(parcel).toOpaque()),
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
        if isPayload { return nil }
        return UnsafeRawPointer(bitPattern: content).map { .fromOpaque($0) }
    }

    /// The parcel, with the references to it and to its observation.
    consuming func takeParcel() -> (AnyParcel, Observation)? {
        parcel.map { ($0.takeRetainedValue(), observation.takeRetainedValue()) }
    }
}
