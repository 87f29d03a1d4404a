// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: type 'Local' does not conform to the 'Sendable' protocol
// Rule 21: observer objects are Sendable, except on this thread.
import Switchyard

final class Local {
    func heard(_ note: Notification) {}
    func watch(_ center: Switchyard.NotificationCenter) {
        center.observe(Notification.Name("n"), with: self, Local.heard)
    }
}
