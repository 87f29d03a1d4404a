import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Listener: NSObject {
    fileprivate func heard(_ note: Notification) {}
}

extension NotificationCenter {
    func listen(to name: Notification.Name) -> Listener {
        let listener = Listener()
        addObserver(listener, selector: Listener.heard, name: name, object: nil)
        return listener
    }
}
