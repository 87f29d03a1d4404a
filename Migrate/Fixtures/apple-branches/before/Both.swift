import Foundation

#if os(Linux)
final class Linux {
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(changed), name: .NSCalendarDayChanged, object: nil)
    }

    @objc func changed() {}
}
#else
final class Apple: NSObject {
    func watch(_ center: NotificationCenter) {
        center.addObserver(
            self, selector: #selector(altered), name: .NSCalendarDayChanged, object: nil)
    }

    @objc func altered() {}
}
#endif
