import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

/// What the program needs of a center. Tests give another.
public protocol Observing: AnyObject {
    func addObserver(_ observer: Any, selector aSelector: Selector, name aName: NSNotification.Name?, object anObject: Any?)
    func removeObserver(_ observer: Any)
}

extension NotificationCenter: Observing {
    public func addObserver(_ observer: Any, selector aSelector: Selector, name aName: NSNotification.Name?, object anObject: Any?) {
        observe(aName, of: anObject, with: observer as AnyObject, { [selector = aSelector] observer in { @Sendable (notification: NSNotification) in _ = (observer as AnyObject).perform(selector, with: notification) } })
    }
}
