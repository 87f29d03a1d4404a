import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Watcher: NSObject {
    func start(_ center: NotificationCenter, _ object: AnyObject) {
        center.observe(.init("seen"), with: self, Watcher.seen)
        center.observe(.init("seen"), of: object, with: self, Watcher.seen)
        center.observe(
            .init("seen"),
            of: object,
            with: self,
            Watcher.seen
        )
        center.observe(
            .init("seen"), with: self,
            Watcher.seen)
    }
    func seen(_ note: Notification) {}
}
