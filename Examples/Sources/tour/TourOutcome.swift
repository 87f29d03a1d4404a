// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The outcome of one situation.
struct TourOutcome: Sendable, Encodable {
    let name: String
    let promise: String
    let held: Bool
    /// The reason why the promise did not hold; nil, and left out of the JSON, if it held.
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
