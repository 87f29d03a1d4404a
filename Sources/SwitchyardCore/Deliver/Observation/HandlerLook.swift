// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import CSwitchyard

/// The properties of an observation's handler that show without a call of it.
struct HandlerLook {
    /// The called thing, in words.
    let words: String
    let role: HandlerRole
    /// Whether the observer object, if there is one, has died.
    let observerIsGone: Bool

    /// Nil if the observation has ended. For this moment, the observation is in flight.
    init?(_ observation: Observation) {
        guard observation.beginUse() else { return nil }
        defer { observation.endOpenClaim() }
        (words, role) = observation.handler._withUnsafeGuaranteedRef {
            ($0.inWords, $0.role)
        }
        #if canImport(ObjectiveC)
        observerIsGone = false
        #else
        // A handler pins the memory of its observer.
        let observer = UnsafeRawPointer(bitPattern: observation.observerIdentity)
        observerIsGone = observer.map { switchyard_is_deallocating($0) } ?? false
        #endif
    }
}
