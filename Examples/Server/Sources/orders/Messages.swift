// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

import Foundation
import SwitchyardDistributed

/// Posted by the front when somebody orders.
struct OrderPlaced: DistributedMessage {
    static let name = Notification.Name("OrderPlaced")
    var number: Int
}

/// Posted by the worker when an order is in its parcel.
struct OrderPacked: DistributedMessage {
    static let name = Notification.Name("OrderPacked")
    var number: Int
}

/// Nobody packs this order.
struct SoldOut: Error {}
