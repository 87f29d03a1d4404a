// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// The class imports work beside XCTest, which exports Foundation.
import Switchyard
import XCTest

import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

let center: NotificationCenter = .default
let queue: NotificationQueue = NotificationQueue(notificationCenter: center)
