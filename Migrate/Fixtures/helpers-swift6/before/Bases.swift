import Foundation

class Worker: NSObject, @unchecked Sendable {
    func listen(_ name: Notification.Name, _ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: name, object: nil)
    }
}

@MainActor class Screen: NSObject {
    /// A type of the module is called `Observer`, and the method names it.
    func listen(_ name: Notification.Name, _ selector: Selector, as observer: Observer) {
        NotificationCenter.default.addObserver(
            self, selector: selector, name: name, object: observer)
    }
}

final class Observer: Sendable {}

@MainActor protocol Listening: AnyObject, Sendable {}

extension Listening {
    func listenOnce(_ selector: Selector) {
        NotificationCenter.default.addObserver(
            self, selector: selector, name: .init("z"), object: nil)
    }
}
