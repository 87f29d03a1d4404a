// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

#if Metrics
/// The values of an attribute that a backend gets: the first ones, and one for all others, so that
/// a program that makes up names does not fill the backend. A name without figures for a long time
/// leaves its place to the next new one.
struct BoundedNames {
    static let most = 200
    static let other = "_OTHER"
    /// The readings without a figure after which a name may lose its place: an hour, at the usual
    /// interval.
    static let patience = 3_600

    /// The number of the reading in which each name was last seen.
    private var known: [String: Int] = [:]
    private var reading = 0
    /// The number of the first reading in which a name may lose its place, if none is seen until
    /// then.
    private var nextLoss = 0
    /// The names that have lost their places in this reading.
    private(set) var forgotten: [String] = []

    mutating func beginReading() {
        reading += 1
        forgotten = []
    }

    /// Returns the value for `name`: itself, or ``other``.
    mutating func value(of name: String) -> String {
        if known[name] == nil, !hasRoom() { return Self.other }
        known[name] = reading
        return name
    }

    private mutating func hasRoom() -> Bool {
        if known.count < Self.most { return true }
        // Asked for each new name of each reading.
        guard reading >= nextLoss, let oldest = known.min(by: { $0.value < $1.value }) else {
            return false
        }
        nextLoss = oldest.value + Self.patience
        guard reading >= nextLoss else { return false }
        known[oldest.key] = nil
        forgotten.append(oldest.key)
        return true
    }
}

extension String {
    /// The name of a context without memory addresses: each of the contexts that nobody has named
    /// has another one, and each run of the program.
    var withoutAddresses: String {
        guard contains("0x") else { return self }
        return replacing(#/ ?0x[0-9a-fA-F]{6,}/#, with: "")
    }
}
#endif
