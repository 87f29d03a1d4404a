// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One delivery that waits in a mailbox. Owns what it names: it is delivered or discarded once.
struct MailEntry: @unchecked Sendable {
    // Sendable: what it names is, and it is handed over from one owner to the next.
    let observation: Unmanaged<Observation>
    let parcel: Unmanaged<AnyParcel>

    init(_ observation: Unmanaged<Observation>, _ parcel: AnyParcel) {
        self.observation = observation.retain()
        self.parcel = .passRetained(parcel)
    }

    /// Calls the handler on this thread, unless the observation has ended.
    @discardableResult
    consuming func deliver() -> DeliveryOutcome? {
        let observation = observation.takeRetainedValue()
        return parcel.takeRetainedValue().deliver(to: observation)
    }

    /// Calls the handler in this task, unless the observation has ended.
    consuming func deliverAsync() async {
        let observation = observation.takeRetainedValue()
        await parcel.takeRetainedValue().deliverAsync(to: observation)
    }

    /// Delivers what was put off: through the observer's mailbox, or, without one, here.
    consuming func deliverLate() {
        let observation = observation.takeRetainedValue()
        let parcel = parcel.takeRetainedValue()
        if let mailbox = observation.mailbox {
            var receipt = PostReceipt()
            parcel.center.queue(parcel, to: observation, mailbox, for: nil, &receipt)
        } else {
            parcel.deliver(to: observation)
        }
    }

    /// Gives up what was not delivered; the center that posted it.
    @discardableResult
    consuming func discard() -> NotificationEngine {
        observation.release()
        return parcel.takeRetainedValue().center
    }

    /// Ends the observation, because its observer has died.
    consuming func expire() {
        let observation = observation.takeRetainedValue()
        parcel.takeRetainedValue().center.expire(observation)
    }

    /// The parcel alone, which the caller has to deliver.
    consuming func unwrap() -> AnyParcel {
        observation.release()
        return parcel.takeRetainedValue()
    }

    /// Tells the parcel that its mailbox has ended; how many deliveries ended with it that were not
    /// in the mailbox yet.
    @discardableResult
    func mailboxEnded(_ label: String) -> Int {
        parcel._withUnsafeGuaranteedRef { $0.mailboxEnded(label) }
    }

    /// Whether the delivery was given up while it waited.
    var isHollow: Bool { parcel._withUnsafeGuaranteedRef(\.isHollow) }
}

/// Deliveries in their order. A mailbox has two queues and exchanges them, so that posts fill one
/// while a drain empties the other.
typealias MailQueue = FIFO<MailEntry>
