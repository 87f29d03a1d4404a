// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension ObservationToken {
    /// The fate of the deliveries that a pause has kept.
    public enum Resumption: Sendable {
        /// Makes the kept deliveries, in the order of posting, before later ones.
        case delivering
        /// Drops the kept deliveries.
        case dropping
    }

    /// Pauses the observation: from now on, its deliveries are kept and not made. A delivery that
    /// started before may still be running on another thread, or be about to call its handler
    /// there.
    ///
    /// ```swift
    /// token.pause()
    /// reloadEverything()
    /// token.resume(.dropping)
    /// ```
    /// Pauses are counted: each has to be ended by ``resume(_:)``. Any number of deliveries waits;
    /// a bound (``ObservationOptions/bounded(_:)-swift.method``) of an observer with a context
    /// counts those that are kept as waiting, and a pace (``ObservationOptions/pace``) thins them
    /// out before they are kept. Receipts call them queued. A post that waits for its handlers
    /// (`postAndWait`) waits for a paused one as well: give it a limit. Cancelling the observation
    /// drops what is kept, and so does the end of its center. If the observer's context ends, what
    /// is kept is reported as undeliverable.
    ///
    /// Never waits. May be called from anywhere.
    public func pause() { observation.pause() }

    /// Ends a pause. Once the last one has ended, the deliveries that were kept are made or
    /// dropped, and later ones are made as usual.
    ///
    /// The kept deliveries are made on the observer's context: before this returns, if that is the
    /// calling thread, nothing else waits there, and the observation is not one that hears all
    /// through its mailbox (``ObservationOptions/isQueued``); otherwise behind what waits. Those of
    /// an observer on the posting thread (`.poster`) are made on the calling thread, before this
    /// returns, unless an earlier call of this is still making deliveries: that one then makes
    /// these as well, on its own thread. There, what other threads post meanwhile waits its turn too:
    /// while they post faster than the handler runs, this does not return, and what waits grows.
    /// Does nothing if the observation is not paused.
    ///
    /// The deliveries to a handler whose calls may overlap (``ObservationOptions/isConcurrent``)
    /// have no order. There, a delivery that was posted before the pause, and that no thread had
    /// come to, may be made although this drops.
    ///
    /// - Parameter kept: the fate of the deliveries that were kept, if this ends the last pause.
    public func resume(_ kept: Resumption = .delivering) {
        observation.resume(dropping: kept == .dropping)
    }

    /// Whether the observation is paused, or its kept deliveries have not all been made.
    ///
    /// If calls of the handler may overlap (``ObservationOptions/isConcurrent``), it is false as
    /// soon as the pause has ended: the kept deliveries are on their way then, like those of posts.
    public var isPaused: Bool { observation.isPaused }
}
