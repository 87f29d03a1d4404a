// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Pacer {
    /// Makes the delivery that was put off, when that was asked for, before the observation ends.
    ///
    /// - Parameter inline: whether it is made before this returns, on the calling thread, which is
    ///   that of the observer's context.
    func flush(_ observation: Observation, inline: Bool) {
        guard let waiting = takeForFlush() else { return }
        let parcel = waiting.unwrap()
        guard observation.beginFlush() else { return }
        let claimed = ClaimedParcel(parcel, claimed: observation, by: self)
        switch observation.mailbox {
        case .some(let mailbox) where inline:
            mailbox.inTurn { _ = claimed.deliver(to: observation) }
        case .some(let mailbox):
            var receipt = PostReceipt()
            mailbox.enqueue(claimed, to: observation, &receipt)
        case .none where inline:
            _ = claimed.deliver(to: observation)
        case .none:
            Task.detached { _ = claimed.deliver(to: observation) }
        }
    }
}
