import Foundation

// Types that conform may be anything but `Sendable`.
@MainActor protocol Listening: AnyObject {}

extension Listening {
    func listenOnce(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
}

// So may be classes after this one.
class Worker: NSObject {
    func listen(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: nil, object: nil)
    }
}
