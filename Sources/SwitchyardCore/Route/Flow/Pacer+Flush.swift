// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension Observation {
    /// Makes the delivery that was put off, when that was asked for, before the observation ends.
    ///
    /// - Parameter inline: whether it is made before this returns, on the calling thread, which is
    ///   that of the observer's context.
    func flush(inline: Bool) {
        guard let pacer = flow?.pacer, let waiting = pacer.flush() else { return }
        let parcel = waiting.unwrap()
        guard beginOpenClaim() else { return }
        let claimed = ClaimedParcel(parcel, claimed: self, by: pacer)
        switch mailbox {
        case .some(let mailbox) where inline:
            mailbox.inTurn { _ = claimed.deliver(to: self) }
        case .some(let mailbox):
            var receipt = PostReceipt()
            mailbox.enqueue(claimed, to: self, &receipt)
        case .none where inline:
            _ = claimed.deliver(to: self)
        case .none:
            Task.detached { _ = claimed.deliver(to: self) }
        }
    }
}
