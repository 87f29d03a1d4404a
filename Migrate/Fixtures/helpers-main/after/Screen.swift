import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@MainActor class Screen: NSObject {
    func listen<Observer: Screen>(_ name: Notification.Name, selector: @escaping (Observer) -> @MainActor (NSNotification) -> Void) {
        NotificationCenter.default.observe(name, with: self as! Observer, selector, on: .main)
    }
}

extension Screen {
    @MainActor func listenToObject<Observer: Screen>(_ name: Notification.Name, _ object: Any?, _ selector: @escaping (Observer) -> @MainActor () -> Void) {
        NotificationCenter.default.observe(name, of: object, with: self as! Observer, selector, on: .main)
    }
}

@MainActor protocol Listening: AnyObject {}

extension Listening {
    func listenOnce(_ selector: @escaping (Self) -> @MainActor (Notification) -> Void) {
        NotificationCenter.default.observe(.init("z"), with: self, selector, on: .main)
    }
}
