// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The properties of an observation's handler that show without a call of it.
struct HandlerLook {
    /// The called thing, in words.
    let words: String
    let role: HandlerRole
    /// The number of posts that it has consumed.
    let consumed: UInt64
    /// The number of payloads that it keeps for a sequence.
    let waiting: Int
    /// Whether it keeps them without a limit.
    let keepsAll: Bool
    /// Whether the observer object, if there is one, has died.
    let observerIsGone: Bool

    /// Nil if the observation has ended. For this moment, the observation is in flight.
    init?(_ observation: Observation) {
        guard observation.beginUse() else { return nil }
        defer { observation.endOpenClaim() }
        (words, role, consumed, waiting, keepsAll) = observation.handler._withUnsafeGuaranteedRef {
            ($0.inWords, $0.role, $0.consumed, $0.waiting, $0.keepsAll)
        }
        observerIsGone = observation.observerIsGone
    }
}
