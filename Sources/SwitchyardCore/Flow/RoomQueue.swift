// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

/// The posts that wait for room, in the order in which they came; any of them may leave.
struct RoomQueue {
    private var waiters: [UInt64: RoomWaiter] = [:]
    /// The numbers of the deliveries that wait, and of some that wait no longer.
    private var order = FIFO<UInt64>()
    private var last: UInt64 = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }

    /// - Returns: The number by which the waiter leaves.
    mutating func append(_ waiter: RoomWaiter) -> UInt64 {
        if order.count > 64 + 2 * waiters.count {
            let waiters = waiters
            _ = order.removeAll { waiters[$0] == nil }
        }
        last += 1
        waiters[last] = waiter
        order.append(last)
        return last
    }

    mutating func popFirst() -> RoomWaiter? {
        while let number = order.popFirst() {
            if let waiter = waiters.removeValue(forKey: number) { return waiter }
        }
        return nil
    }

    /// - Returns: The waiter that left; nil if it had got room, or had left before.
    mutating func remove(_ number: UInt64) -> RoomWaiter? { waiters.removeValue(forKey: number) }
}
