// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The outcome of one delivery.
@_spi(Engine) public enum DeliveryOutcome: Sendable {
    /// The user's code ran.
    case delivered
    /// The user's code ran, and consumed the post: it is delivered to nobody after this.
    case consumed
    /// The payload was kept for a sequence, which lost an older one for it.
    case displaced
    /// A sequence lost the payload.
    case dropped
    /// The user's code will run elsewhere.
    case queued
    /// The observer object has died.
    case expired
    /// The user's code will not run: its context gave the delivery up.
    case undeliverable
    /// The one-shot observation was used up by another delivery a moment ago. Another member of its
    /// group, if any, gets this one.
    case tooLate
    /// The delivery counts nowhere, not even as an observer that was reached: an observer of
    /// Switchyard's own looked on, or the delivery was skipped.
    case uncounted
}
