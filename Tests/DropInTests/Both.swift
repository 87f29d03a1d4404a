// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// A file that imports both, and has the alias of the module.
import Foundation
import Switchyard

typealias NotificationCenter = Switchyard.NotificationCenter
typealias NotificationQueue = Switchyard.NotificationQueue

struct Both {
    let center: NotificationCenter = .default
    func isOurs() -> Bool { type(of: center) == Switchyard.NotificationCenter.self }
}
