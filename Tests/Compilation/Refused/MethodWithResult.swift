// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: returns nothing
// A method with a result is a closure's work.
import Switchyard

final class Window: Sendable {
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Notification.Name("n"), with: self, Window.moved)
    }
    func moved(_ note: Notification) -> Bool { true }
}
