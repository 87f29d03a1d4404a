// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

extension ObservationToken {
    /// Keeps the observation in a set, as Combine's `store(in:)` does: it ends when the set goes,
    /// or gives the token up.
    ///
    /// ```swift
    /// final class Editor {
    ///     private var tokens: Set<ObservationToken> = []
    ///
    ///     func begin() {
    ///         center.observe(Saved.self, on: .main) { … }.store(in: &tokens)
    ///         center.observe(Closed.self, on: .main) { … }.store(in: &tokens)
    ///     }
    /// }
    /// ```
    /// `tokens = []` ends them all. The set is the caller's, with its lock or its actor.
    ///
    /// An observation that needs no token, of a method or on an actor, ends with the set as well,
    /// although copies of its token are kept elsewhere; stored in several places, with the first of
    /// them that gives it up. A closure's ends with the last copy, in
    /// this set or elsewhere. A token that is in the set already stays there once.
    public func store(in tokens: inout Set<ObservationToken>) {
        // One that ends the observation is left in its place: it would do so as it goes.
        if let index = tokens.firstIndex(of: self), tokens[index].endsObservation { return }
        tokens.update(with: ending)
    }

    /// Keeps the observation in a collection, at its end; see ``store(in:)-swift.method``.
    public func store(in tokens: inout some RangeReplaceableCollection<ObservationToken>) {
        tokens.append(ending)
    }
}
