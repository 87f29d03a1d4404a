import UIKit

/// The application, which other modules observe.
@objc public protocol Application: NSObjectProtocol {
    func observeActivation(_ object: NSObject, selector: Selector)
}

extension UIApplication: Application {
    public func observeActivation(_ object: NSObject, selector: Selector) {
        NotificationCenter.default.addObserver(
            object,
            selector: selector,
            name: UIApplication.didBecomeActiveNotification,
            object: self
        )
    }
}

enum Changes {
    static func add(_ observer: Any, _ action: Selector, in center: NotificationCenter = .default, names: String...) {
        for name in names {
            center.addObserver(observer, selector: action, name: .init(name), object: nil)
        }
    }

    static func addAll(_ observer: AnyObject, _ actions: [(name: String, action: Selector)]) {
        for (name, action) in actions {
            NotificationCenter.default.addObserver(observer, selector: action, name: .init(name), object: nil)
        }
    }
}
