// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension MailEntry {
    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.init(
            observationAddress: UInt(bitPattern: observation.retain().toOpaque()),
            content: UInt(bitPattern: Unmanaged.passRetained(parcel).toOpaque()),
            payload: InlinePayload())
    }

    /// - Parameter bringsReference: whether the entry brings a reference for the mailbox to keep.
    init(
        _ observation: Unmanaged<Observation>, _ payload: InlinePayload, bringsReference: Bool
    ) {
        if bringsReference { _ = observation.retain() }
        self.init(
            observationAddress: UInt(bitPattern: observation.toOpaque()),
            content: bringsReference ? Self.payloadAndReference : Self.payload, payload: payload)
    }

    @inline(__always)
    var observation: Unmanaged<Observation> {
        // An observation's address: never zero.
        .fromOpaque(UnsafeRawPointer(bitPattern: observationAddress).unsafelyUnwrapped)
    }

    var parcel: Unmanaged<AnyParcel>? {
        guard content > Self.payloadAndReference else { return nil }
        return UnsafeRawPointer(bitPattern: content).map { .fromOpaque($0) }
    }

    /// The parcel, with the references to it and to its observation.
    consuming func takeParcel() -> (AnyParcel, Observation)? {
        parcel.map { ($0.takeRetainedValue(), observation.takeRetainedValue()) }
    }
}
