// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// One direction between two centers, given by their names.
struct NetworkPath: Hashable, Sendable {
    let from: String
    let to: String
}

/// The faults of one direction.
struct NetworkFaults: Sendable {
    var isHeld = false
    var piece: Int?
    var bytesUntilCut: Int?

    /// Returns the number of `count` bytes that may go at once.
    func admitted(_ count: Int) -> Int {
        min(count, piece ?? count, bytesUntilCut ?? count)
    }
}
