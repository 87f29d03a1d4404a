// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox. Owns what it names: it is delivered or discarded once.
struct MailEntry {
    let observation: Unmanaged<Observation>
    let parcel: Unmanaged<AnyParcel>

    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.observation = observation.retain()
        self.parcel = .passRetained(parcel)
    }

    /// Calls the handler, unless the observation has ended.
    consuming func deliver() {
        let observation = observation.takeRetainedValue()
        parcel.takeRetainedValue().deliver(to: observation)
    }

    /// Gives up what was not delivered; the center that posted it.
    consuming func discard() -> NotificationEngine {
        observation.release()
        return parcel.takeRetainedValue().center
    }
}

/// Deliveries in their order. A mailbox has two queues and exchanges them, so that posts fill one
/// while a drain empties the other.
typealias MailQueue = FIFO<MailEntry>
