import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    func observe<Observer: AnyObject & Sendable>(_ observer: Observer, _ selector: @escaping @Sendable (Observer) -> (Notification) -> Void, text: String) {
        addObserver(observer, selector: selector, name: Notification.Name(text), object: nil)
    }

    class func addObserver<Observer: NSObject & Sendable>(_ target: Observer, selector: @escaping @Sendable (Observer) -> @MainActor (NSNotification) -> Void, name: Notification.Name) {
        NotificationCenter.default.addObserver(target, selector: selector, name: name, object: nil)
    }
}
