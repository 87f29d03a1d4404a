// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// swift: 5 6
// Apple's method, and the property that the superclass has, are one center.
import SwitchyardDistributed

func isOne() -> Bool {
    let center: DistributedNotificationCenter = .default()
    return center === DistributedNotificationCenter.default
}
final class Controller: Sendable {
    func added(_ note: Notification) {}
    func watch(_ center: DistributedNotificationCenter) {
        center.addObserver(self, selector: Controller.added, name: nil, object: "text")
        center.addObserver(
            self, selector: Controller.added, name: nil, object: nil, suspensionBehavior: .hold)
    }
}
