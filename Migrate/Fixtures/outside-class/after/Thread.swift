import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension Thread {
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: Thread.stopped, name: .NSThreadWillExit, object: self)
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
