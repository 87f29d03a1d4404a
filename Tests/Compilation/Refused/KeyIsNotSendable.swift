// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: type 'Key' does not conform to the 'Sendable' protocol
// Rule 21: the keys of a bound are compared on other threads.
import Switchyard

final class Counter { var compared = 0 }
struct Key: Hashable {
    let counter = Counter()
    static func == (left: Key, right: Key) -> Bool { left.counter === right.counter }
    func hash(into hasher: inout Hasher) {}
}
struct Ping: NotificationMessage {}
let bound = DeliveryBound.keepLatest(per: { (_: Ping) in Key() })
