import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    // Some methods belong to the main actor, and others don't.
    class func observe<Observer: AnyObject>(_ observer: Observer, _ selector: @escaping (Observer) -> @isolated(any) (Notification) -> Void, text: String) {
        NotificationCenter.default.addObserver(
            observer, selector: selector, name: .init(text), object: nil)
    }
}
