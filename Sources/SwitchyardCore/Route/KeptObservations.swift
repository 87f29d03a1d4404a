// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The observations whose payloads wait in a mailbox, or are being delivered, without a reference of
/// their own (``MailEntry/bringsReference``).
struct KeptObservations: @unchecked Sendable {
    // Sendable: part of what the mailbox's lock guards, or on its way out of there.

    private var last: Unmanaged<Observation>?
    /// Seldom any: when drains nest.
    private var earlier: [Unmanaged<Observation>] = []

    /// Takes over the reference that an entry brings.
    mutating func keep(_ observation: Unmanaged<Observation>) {
        if let last { earlier.append(last) }
        last = observation
    }

    /// Counts one more reference of the last: entries may be without one because of it.
    func copyOfLast() -> KeptObservations {
        KeptObservations(last: last?.retain())
    }

    /// Lets go of all. To be called without a lock.
    consuming func release() {
        last?.release()
        for observation in earlier { observation.release() }
    }

    init() {}
    private init(last: Unmanaged<Observation>?) { self.last = last }
}
