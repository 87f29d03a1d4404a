// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox: a parcel, or, if it is small and plain, the payload
/// itself.
///
/// With a parcel, the entry owns a reference to the parcel, and is delivered or discarded once.
/// With a payload, nothing is allocated.
///
/// Entries in a row for one observation share a reference to it: the first brings it, and the
/// mailbox keeps it. Counting one for each would make posting and draining threads wait for one
/// cache line. An entry whose parcel may leave the mailbox out of turn, because it may be displaced
/// or put off, owns a reference instead.
///
/// Here are the bits, which queues hold and move; `MailEntry+References.swift` says what they refer
/// to.
struct MailEntry: Sendable {
    /// The observation's address.
    let observationAddress: UInt
    /// The parcel's address, or zero if the entry holds its payload itself; and the bits below.
    let content: UInt
    let payload: InlinePayload

    /// Set if the entry brings a reference to its observation.
    static let reference: UInt = 1
    /// Set if a payload has the number of its post.
    static let traced: UInt = 2
    /// Set if an entry with a parcel owns a reference to its observation.
    static let owner: UInt = 4
    private static let payloadBits = reference | traced
    private static let bits = payloadBits | owner

    /// Whether the entry brings a reference to its observation, which the mailbox keeps until it
    /// takes the next entry that brings one.
    var bringsReference: Bool { content & Self.reference != 0 }

    /// Whether the entry holds its payload itself, with the number of its post.
    var isTraced: Bool { content & ~Self.reference == Self.traced }

    /// Whether the entry holds its payload itself.
    var isPayload: Bool { content <= Self.payloadBits }

    /// Whether the entry owns a reference to its observation, which goes with it.
    var ownsObservation: Bool { content & Self.owner != 0 }

    /// The parcel's address; zero if there is none.
    var parcelAddress: UInt { content & ~Self.bits }
}
