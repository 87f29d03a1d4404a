// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// Somebody who watches the deliveries of one center in a mailbox: a ``LateWatch``, as the mailbox
/// knows it.
class MailboxWatch: @unchecked Sendable {
    // Sendable: the properties of this class are constant; the subclass answers for itself.

    /// ``ObservationOwner/registryIdentity`` of the center.
    let registry: UInt

    init(_ registry: UInt) { self.registry = registry }
}
