// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardCore
package import SwitchyardDistributed

/// A sum of lost notifications, some of whose parts may be unknown.
package struct LossSum: Sendable, CustomStringConvertible {
    package private(set) var known: UInt64
    package private(set) var hasUnknown: Bool

    package init(known: UInt64 = 0, hasUnknown: Bool = false) {
        self.known = known
        self.hasUnknown = hasUnknown
    }

    /// A loss of unknown size.
    package static let unknown = LossSum(known: 0, hasUnknown: true)

    package mutating func add(_ loss: DistributedLoss) {
        add(loss.count)
        if !loss.isCountKnown { hasUnknown = true }
    }

    /// Adds `count`. The sum stays at the largest number once it has reached it.
    package mutating func add(_ count: UInt64) {
        known.addClamped(count)
    }

    /// Adds a loss of unknown size.
    package mutating func addUnknown() { hasUnknown = true }

    /// The sum in words: `0`, `12`, `12 or more`, or `an unknown number`.
    package var description: String {
        if !hasUnknown { return "\(known)" }
        return known == 0 ? "an unknown number" : "\(known) or more"
    }
}
