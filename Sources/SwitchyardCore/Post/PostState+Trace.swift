// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension PostReceipt {
    /// Whether there was nobody to deliver to.
    var isEmpty: Bool {
        reachedNobody && dropped == 0 && refused == 0 && undeliverable == 0 && filtered == 0
    }
}

extension PostState {
    /// Writes down what became of a delivery that was to be queued. If its context has ended, the
    /// parcel has done so.
    ///
    /// - Parameter before: the receipt before that.
    mutating func trace(_ parcel: AnyParcel, to observation: Observation, since before: PostReceipt)
    {
        if receipt.queued > before.queued {
            trace?.happened(.queued, to: observation.address)
        } else if receipt.refused > before.refused {
            trace?.happened(.refused, to: observation.address)
            parcel.wasNotQueued()
        } else if receipt.dropped > before.dropped {
            trace?.happened(.dropped, to: observation.address)
            parcel.wasNotQueued()
        }
    }
}
