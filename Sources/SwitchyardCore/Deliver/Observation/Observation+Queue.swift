// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Observation {
    /// Whether a payload fulfils the observation's condition. The caller is inside the observation.
    func admits<Payload>(_ payload: Payload, _ filter: DeliveryFilter) -> Bool {
        withHandler { (handler: _DeliveryHandler<Payload>) in handler.admits(payload, filter) }
    }

    /// Puts a delivery into its mailbox, if its bound lets it.
    func queue(
        _ parcel: AnyParcel, _ mailbox: SharedMailbox, for wait: PostWait?,
        _ receipt: inout PostReceipt
    ) {
        if let flow {
            flow.queue(parcel, to: self, in: mailbox, for: wait, &receipt)
        } else {
            mailbox.enqueue(parcel, to: self, &receipt)
        }
    }
}
