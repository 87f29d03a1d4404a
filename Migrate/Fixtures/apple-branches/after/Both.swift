import Foundation

#if os(Linux)
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Linux {
    func watch() {
        NotificationCenter.default.addObserver(
            self, selector: Linux.changed, name: .NSCalendarDayChanged, object: nil)
    }

    func changed() {}
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
