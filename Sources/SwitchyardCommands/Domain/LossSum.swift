// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import SwitchyardDistributed

/// A sum of lost notifications, some of whose parts may be unknown.
struct LossSum: Sendable, CustomStringConvertible {
    private(set) var known: UInt64
    private(set) var hasUnknown: Bool

    init(known: UInt64 = 0, hasUnknown: Bool = false) {
        self.known = known
        self.hasUnknown = hasUnknown
    }

    /// A loss of unknown size.
    static let unknown = LossSum(known: 0, hasUnknown: true)

    mutating func add(_ loss: DistributedLoss) {
        add(loss.count)
        if !loss.isCountKnown { hasUnknown = true }
    }

    /// Adds `count`. The sum stays at the largest number once it has reached it.
    mutating func add(_ count: UInt64) {
        let (sum, isTooMuch) = known.addingReportingOverflow(count)
        known = isTooMuch ? .max : sum
    }

    /// Adds a loss of unknown size.
    mutating func addUnknown() { hasUnknown = true }

    /// The sum in words: `0`, `12`, `12 or more`, or `an unknown number`.
    var description: String {
        if !hasUnknown { return "\(known)" }
        return known == 0 ? "an unknown number" : "\(known) or more"
    }
}
