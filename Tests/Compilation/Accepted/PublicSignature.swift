// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// Three lines beside Foundation switch a file, also in public signatures and extensions.
import Foundation
import Switchyard

import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// A class that names the center in its interface.
public final class Indexer {
    let center: NotificationCenter
    /// Makes an indexer with a center and a queue.
    public init(center: NotificationCenter = .default, queue: NotificationQueue? = nil) {
        self.center = center
    }
}
extension NotificationCenter {
    /// A type of a module's own in the center.
    public struct Registration {
        /// The center.
        public let center: NotificationCenter
    }
}
/// Takes a type that both modules know.
public func observeAll(_ operations: OperationQueue?) -> ObservationToken {
    NotificationCenter.default.observe(Notification.Name("n")) { _ in }
}
/// A property of a type that Switchyard alone has.
public let worker = DeliveryThread(name: "worker")
