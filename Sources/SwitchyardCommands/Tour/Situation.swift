// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One thing that the documentation promises, and a scene with live threads that shows it.
struct Situation: Sendable {
    let name: String
    let promise: String
    /// Plays the scene, on a thread called `tour`, while main runs its run loop. Throws what did not
    /// hold.
    let play: @Sendable (Stage) throws -> Void

    /// In the order of the tour.
    static let all: [Situation] = [
        .postingThread, .redirectedToMain, .windowCloses, .manyObservers, .postWaits,
        .nameAndObject, .initAndDeinit, .lastReferenceOnPoster, .lastReferenceOnOwnThread,
        .removesItself, .converters, .asynchronousPosting, .coalesced, .idle, .portMessage, .byHand,
        .backpressure,
    ]
}

/// Why a promise did not hold.
struct BrokenPromise: Error {
    let complaint: String
}
