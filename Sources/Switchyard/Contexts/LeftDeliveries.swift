// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// The number of deliveries that waited for a thread when it ended, and were not made.
final class LeftDeliveries: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .acquiring) }

    func add(_ count: Int) { number.wrappingAdd(count, ordering: .releasing) }
}
