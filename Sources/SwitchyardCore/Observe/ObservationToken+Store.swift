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
    public func store(in tokens: inout Set<ObservationToken>) { tokens.insert(self) }

    /// Keeps the observation in a collection, at its end; see ``store(in:)-swift.method``.
    public func store(in tokens: inout some RangeReplaceableCollection<ObservationToken>) {
        tokens.append(self)
    }
}
