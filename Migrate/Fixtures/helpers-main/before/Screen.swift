import Foundation

@MainActor class Screen: NSObject {
    func listen(_ name: Notification.Name, selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: name, object: nil)
    }
}

extension Screen {
    @MainActor func listenToObject(_ name: Notification.Name, _ object: Any?, _ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: name, object: object)
    }
}

@MainActor protocol Listening: AnyObject {}

extension Listening {
    func listenOnce(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: .init("z"), object: nil)
    }
}
