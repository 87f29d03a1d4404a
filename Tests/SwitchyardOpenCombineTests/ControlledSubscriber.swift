// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if OpenCombine
import OpenCombine
import TestSupport

/// A subscriber with the test's demand, which notes down its values.
final class ControlledSubscriber<Input: Sendable>: Subscriber {
    typealias Failure = Never

    let log = Log<Input>()
    private(set) var subscription: (any Subscription)?
    private let first: Subscribers.Demand
    private let onValue: (Input) -> Subscribers.Demand

    /// - Parameters:
    ///   - first: The demand at the subscription.
    ///   - onValue: Called with each value; returns further demand.
    init(
        _ first: Subscribers.Demand = .unlimited,
        onValue: @escaping (Input) -> Subscribers.Demand = { _ in .none }
    ) {
        self.first = first
        self.onValue = onValue
    }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        if first > 0 { subscription.request(first) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        log.add(input)
        return onValue(input)
    }

    func receive(completion: Subscribers.Completion<Never>) {}

    /// Lets go of the subscription without cancelling it.
    func forget() { subscription = nil }
}
#endif
