// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What waits until it is time for it, for one observation with a pace: a state machine over times,
/// which calls nothing.
struct PaceState<Item> {
    enum OfferAction {
        /// It is delivered now.
        case deliver(Item)
        /// It waits; `replaced` is not delivered. The timer is running, or to be started.
        case wait(replaced: Item?, startsTimer: Bool)
    }

    enum TimerAction {
        /// Not yet: the timer sleeps on until then.
        case sleep(until: Duration)
        /// The item is delivered, and the timer ends.
        case deliver(Item)
        case end
    }

    let rule: Pace.Rule
    let interval: Duration
    private var waiting: Item?
    /// When what waits may be delivered; with throttling, also when the next may at the earliest.
    private var due: Duration?
    private var hasTimer = false

    init(_ rule: Pace.Rule, _ interval: Duration) {
        self.rule = rule
        self.interval = interval
    }

    /// When the timer is to look.
    var deadline: Duration { due ?? .zero }

    mutating func offer(_ item: Item, at now: Duration) -> OfferAction {
        switch rule {
        case .debounce:
            due = now + interval
        case .throttle(let latest):
            guard let due, now < due || waiting != nil else {
                self.due = now + interval
                return .deliver(item)
            }
            if !latest, waiting != nil { return .wait(replaced: item, startsTimer: false) }
        }
        let replaced = waiting
        waiting = item
        defer { hasTimer = true }
        return .wait(replaced: replaced, startsTimer: !hasTimer)
    }

    mutating func timerFired(at now: Duration) -> TimerAction {
        if waiting != nil, let due, now < due { return .sleep(until: due) }
        hasTimer = false
        guard let item = waiting.take() else { return .end }
        due = now + interval
        return .deliver(item)
    }

    /// What waits, taken out; the timer ends by itself.
    mutating func takeWaiting() -> Item? {
        hasTimer = false
        return waiting.take()
    }
}
