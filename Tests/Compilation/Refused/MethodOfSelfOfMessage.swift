// Part of Switchyard. Licensed under the Apache License 2.0; see LICENSE.

// error: the method takes the message
// A method of `Self` is no method that Swift can convert, for messages too.
import Switchyard

struct Moved: NotificationMessage {}
class Window: NSObject, @unchecked Sendable {
    func watch(_ center: MessageCenter) {
        center.observe(Moved.self, with: self, Self.moved(_:), on: .poster)
    }
    func moved(_ message: Moved) {}
}
