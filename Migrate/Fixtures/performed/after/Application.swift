import UIKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// The application, which other modules observe.
@objc public protocol Application: NSObjectProtocol {
    func observeActivation(_ object: NSObject, selector: Selector)
}

extension UIApplication: Application {
    public func observeActivation(_ object: NSObject, selector: Selector) {
        NotificationCenter.default.observe(
            UIApplication.didBecomeActiveNotification,
            of: self,
            with: object as AnyObject,
            { [selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } }
        )
    }
}

enum Changes {
    static func add(_ observer: Any, _ action: Selector, in center: NotificationCenter = .default, names: String...) {
        for name in names {
            center.observe(.init(name), with: observer as AnyObject, { [selector = action as Selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        }
    }

    static func addAll(_ observer: AnyObject, _ actions: [(name: String, action: Selector)]) {
        for (name, action) in actions {
            NotificationCenter.default.observe(.init(name), with: observer, { [selector = action as Selector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
        }
    }
}
