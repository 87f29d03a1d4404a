import Foundation

actor Store {
    func watch(_ center: NotificationCenter) {
        center.addObserver(self, selector: #selector(closed(_:)), name: .NSCalendarDayChanged, object: nil)
        center.addObserver(self, selector: #selector(saved), name: .NSCalendarDayChanged, object: nil)
    }

    @objc nonisolated func closed(_ notification: Notification) {}
    @objc func saved() {}
}
