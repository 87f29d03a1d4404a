// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: name its class
// A method of `Self` is no method that Swift can convert.
import Switchyard

class Window: NSObject, @unchecked Sendable {
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Notification.Name("n"), with: self, Self.moved(_:))
    }
    func moved(_ note: Notification) {}
}
