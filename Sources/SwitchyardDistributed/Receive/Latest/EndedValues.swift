// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

@_spi(Engine) internal import SwitchyardCore

/// The last ends of values, so that a center remembers a limited number of them.
struct EndedValues: Sendable {
    /// The most ends that are remembered. A value that ended before those can come back if its answer was on its way
    /// all the time.
    static let most = 1_024

    private var ends = FIFO<SharedLatestValue>()

    /// Adds an end.
    ///
    /// - Returns: The end to be forgotten for it, if there are too many.
    mutating func add(_ end: SharedLatestValue) -> SharedLatestValue? {
        ends.append(end)
        return ends.count > Self.most ? ends.popFirst() : nil
    }
}
