import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Notification.Name {
    static let opened = Notification.Name("opened")
}

final class Button: NSObject {
    func watch(_ center: NotificationCenter) {
        center.observe(.opened, with: self, { observer in { (notification: Notification) in observer.pressed(notification) } })
        center.observe(.opened, with: self, { observer in { (notification: Notification) in observer.optional(notification) } })
        center.observe(.opened, with: self, { observer in { (notification: NSNotification) in observer.object(notification) } })
        center.observe(.opened, with: self, { observer in { (notification: Notification) in observer.named(sender: notification) } })
        center.observe(.opened, with: self, { observer in { () in _ = observer.result() } })
    }

    func pressed(_ sender: Any) {}
    func optional(_ notification: Notification?) {}
    func object(_ sender: AnyObject?) {}
    func named(sender: Any?) {}
    func result() -> Bool { true }
}
