import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Operation {
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: Operation.stopped, name: .NSCalendarDayChanged, object: self)
    }

    func stopped(_ notification: Notification) {}
}

final class Watcher: NSObject {
    private static func center() -> NotificationCenter? { .default }

    func watch() {
        let center = Self.center()
        center?.addObserver(self, selector: Watcher.changed, name: nil, object: nil)
    }

    func changed() {}
}
