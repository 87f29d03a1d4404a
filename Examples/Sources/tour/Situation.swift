// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One promise of the documentation, and a scene with live threads that shows it.
struct Situation: Sendable {
    let name: String
    let promise: String
    /// Plays the scene, on a thread called `tour`, while the main thread runs its run loop. Throws
    /// a `BrokenPromise` if something did not hold.
    let play: @Sendable (Stage) throws -> Void

    /// All situations, in the order of the tour.
    static let all: [Situation] = [
        .postingThread, .redirectedToMain, .windowCloses, .manyObservers, .postWaits,
        .nameAndObject, .initAndDeinit, .lastReferenceOnPoster, .lastReferenceOnOwnThread,
        .removesItself, .converters, .asynchronousPosting, .coalesced, .idle, .portMessage, .byHand,
        .backpressure, .readsEverythingAgain, .comesLate, .asks, .sharesWork, .manyNames,
    ]
}

/// An error: the reason why a promise did not hold.
struct BrokenPromise: Error {
    let complaint: String
}
