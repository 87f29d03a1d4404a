import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

actor Store {
    func watch(_ center: NotificationCenter) {
        center.addObserver(self, selector: Store.closed, name: .NSCalendarDayChanged, object: nil)
        center.addObserver(self, selector: #selector(saved), name: .NSCalendarDayChanged, object: nil)
    }

    nonisolated func closed(_ notification: Notification) {}
    @objc func saved() {}
}
