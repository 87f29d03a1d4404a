// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The delivery that an observation with a pace puts off until its time: a state machine over
/// times, which calls nothing.
struct PaceState<Item> {
    enum OfferAction {
        /// The item is delivered now.
        case deliver(Item)
        /// The item waits; `replaced` is not delivered. The timer is running, or one is to be
        /// started that sleeps until then.
        case wait(replaced: Item?, timer: Duration?)
    }

    enum TimerAction {
        /// The delivery is not due yet: the timer sleeps on until then.
        case sleep(until: Duration)
        /// The item is delivered; the timer then asks again (``delivered()``).
        case deliver(Item)
        case end
    }

    let rule: DeliveryPace.Rule
    let interval: Duration
    private var waiting: Item?
    /// The time at which the waiting delivery may be made; with throttling, also the earliest time
    /// for the next.
    private var due: Duration?
    private var hasTimer = false
    /// Whether the timer is delivering: posts that come meanwhile must not overtake.
    private(set) var isDelivering = false

    init(_ rule: DeliveryPace.Rule, _ interval: Duration) {
        self.rule = rule
        self.interval = interval
    }

    mutating func offer(_ item: Item, at now: Duration) -> OfferAction {
        switch rule {
        case .debounce:
            due = now + interval
        case .throttle(let latest):
            guard let due, now < due || waiting != nil || isDelivering else {
                self.due = now + interval
                return .deliver(item)
            }
            if !latest, waiting != nil { return .wait(replaced: item, timer: nil) }
        }
        let replaced = waiting
        waiting = item
        defer { hasTimer = true }
        return .wait(replaced: replaced, timer: hasTimer ? nil : due)
    }

    mutating func timerFired(at now: Duration) -> TimerAction {
        if waiting != nil, let due, now < due { return .sleep(until: due) }
        guard let item = waiting.take() else {
            hasTimer = false
            return .end
        }
        if case .throttle = rule { due = now + interval }
        isDelivering = true
        return .deliver(item)
    }

    /// The timer's next action after it has delivered.
    mutating func delivered() -> TimerAction {
        isDelivering = false
        if waiting != nil, let due { return .sleep(until: due) }
        hasTimer = false
        return .end
    }

    /// Whether an item waits.
    var isWaiting: Bool { waiting != nil }

    /// Takes out the item that waits.
    mutating func takeWaiting() -> Item? { waiting.take() }
}

extension PaceState: Sendable where Item: Sendable {}
