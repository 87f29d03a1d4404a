// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

internal import Synchronization

/// A mailbox's bound, shared out in equal parts among the observers that have none of their own: so
/// what floods one of them takes no room from another.
final class MailboxQuota: Sendable {
    let bound: DeliveryBound
    private let observers = Atomic<Int>(0)

    init(_ bound: DeliveryBound) { self.bound = bound }

    func join() { observers.wrappingAdd(1, ordering: .relaxed) }
    func leave() { observers.wrappingSubtract(1, ordering: .relaxed) }

    /// The number of deliveries that may wait for one observer: one at least.
    var share: Int { max(1, bound.limit / max(1, observers.load(ordering: .relaxed))) }
}
