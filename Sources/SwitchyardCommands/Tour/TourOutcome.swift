// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// What one situation came to.
struct TourOutcome: Sendable, Encodable {
    let name: String
    let promise: String
    let held: Bool
    /// Why it did not hold; left out when it did.
    let complaint: String?
    let events: [TourEvent]

    init(_ situation: Situation, events: [TourEvent], complaint: String?) {
        name = situation.name
        promise = situation.promise
        held = complaint == nil
        self.complaint = complaint
        self.events = events
    }
}
