import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class Worker: NSObject, @unchecked Sendable {
    func listen<Observer: Worker>(_ name: Notification.Name, _ selector: @escaping @Sendable (Observer) -> (Notification) -> Void) {
        NotificationCenter.default.addObserver(self as! Observer, selector: selector, name: name, object: nil)
    }
}

@MainActor class Screen: NSObject {
    /// A type of the module is called `Observer`, and the method names it.
    func listen<ObservingClass: Screen>(_ name: Notification.Name, _ selector: @escaping @Sendable (ObservingClass) -> @MainActor (Notification) -> Void, as observer: Observer) {
        NotificationCenter.default.addObserver(
            self as! ObservingClass, selector: selector, name: name, object: observer)
    }
}

final class Observer: Sendable {}

@MainActor protocol Listening: AnyObject, Sendable {}

extension Listening {
    func listenOnce(_ selector: @escaping @Sendable (Self) -> @MainActor () -> Void) {
        NotificationCenter.default.addObserver(
            self, selector: selector, name: Notification.Name("z"), object: nil)
    }
}
