import Foundation

extension Operation {
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(stopped(_:)), name: .NSCalendarDayChanged, object: self)
    }

    @objc func stopped(_ notification: Notification) {}
}

final class Watcher: NSObject {
    private static func center() -> NotificationCenter? { .default }

    func watch() {
        let center = Self.center()
        center?.addObserver(self, selector: #selector(changed), name: nil, object: nil)
    }

    @objc func changed() {}
}
