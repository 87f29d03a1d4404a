import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Notification.Name {
    static let opened = Notification.Name("opened")
}

@MainActor final class Button: NSObject {
    func watch(_ center: NotificationCenter) {
        center.observe(.opened, with: self, { observer in { (notification: Notification) in MainActor.assumeIsolated { observer.pressed(notification) } } }, on: .main)
        center.observe(.opened, with: self, { observer in { (notification: Notification) in MainActor.assumeIsolated { observer.optional(notification) } } }, on: .main)
        center.observe(.opened, with: self, { observer in { (notification: NSNotification) in MainActor.assumeIsolated { observer.object(notification) } } }, on: .main)
        center.observe(.opened, with: self, { observer in { (notification: Notification) in MainActor.assumeIsolated { observer.named(sender: notification) } } }, on: .main)
        center.observe(.opened, with: self, { observer in { () in MainActor.assumeIsolated { _ = observer.result() } } }, on: .main)
    }

    func pressed(_ sender: Any) {}
    func optional(_ notification: Notification?) {}
    func object(_ sender: AnyObject?) {}
    func named(sender: Any?) {}
    func result() -> Bool { true }
}
