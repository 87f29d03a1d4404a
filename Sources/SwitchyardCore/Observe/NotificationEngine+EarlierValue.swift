// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// Values that were posted earlier, in another process, for observers that hear the latest value
// first.
extension NotificationEngine {
    /// Gives a value that was posted earlier, in another process, to the observers that hear the
    /// latest value first. As when they register, bounds, paces and groups do not count it.
    ///
    /// - Parameter last: the number of the last registration before the value was kept.
    package func deliverEarlierValue(
        _ value: AnyRetainedValue, _ topic: Topic, _ subject: Subject, keptAfter last: UInt64
    ) {
        var observations: [Observation] = []
        _ = isObserved(topic, subject) { observation in
            if observation.replaysLatest, observation.sequence <= last {
                observations.append(observation)
            }
            return false
        }
        value.beginDelivery()
        for observation in observations where !value.isReplaced {
            observation.deliver(value)
            deliverLatest(topic, subject, to: observation, after: value)
        }
    }

    /// Delivers the latest value to an observation that was given `value`, if another thread has
    /// kept a later one meanwhile: it may have delivered that one first, so that `value` would be
    /// the last that the observation hears.
    package func deliverLatest(
        _ topic: Topic, _ subject: Subject, to observation: Observation,
        after value: AnyRetainedValue
    ) {
        // Without a mailbox, the calls overlap anyway.
        guard observation.mailbox != nil else { return }
        var value = value
        // One whose delivery has not begun comes behind this.
        while value.isReplaced, let latest = latestValue(of: topic, about: subject),
            latest.isDelivered
        {
            observation.deliver(latest)
            value = latest
        }
    }
}

extension Observation {
    /// Delivers a value as when the observer registers: bounds, paces and groups do not count it.
    fileprivate func deliver(_ value: AnyRetainedValue) {
        guard let parcel = whileInside({ value.parcel(for: self) }) ?? nil else { return }
        if let mailbox {
            var receipt = PostReceipt()
            mailbox.enqueue(parcel, to: self, &receipt)
        } else if !keepsInPause(parcel) {
            parcel.deliver(to: self)
        }
    }
}
