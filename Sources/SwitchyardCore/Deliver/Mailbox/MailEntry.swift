// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox: a parcel, or, if it is small and plain, the payload itself.
///
/// With a parcel, the entry owns the parcel and a reference to its observation, and is delivered or
/// discarded once. With a payload, nothing is allocated. Entries in a row for one observation share
/// a reference: the first brings it, and the mailbox keeps it. Counting one for each would make
/// posting and draining threads wait for one cache line.
///
/// Here are the bits, which queues hold and move; `MailEntry+References.swift` says what they refer to.
struct MailEntry: Sendable {
    /// The observation's address.
    let observationAddress: UInt
    /// The parcel's address, or, of a payload, the bits below.
    let content: UInt
    let payload: InlinePayload

    static let reference: UInt = 1
    static let traced: UInt = 2

    /// Whether the entry brings a reference to its observation, which the mailbox keeps until it
    /// takes the next entry that brings one.
    var bringsReference: Bool { content & ~Self.traced == Self.reference }

    /// Whether the entry holds its payload itself, with the number of its post.
    var isTraced: Bool { content & ~Self.reference == Self.traced }

    /// Whether the entry holds its payload itself, and so owns no reference to its observation.
    var isPayload: Bool { content <= Self.reference | Self.traced }
}
