import Foundation

/// What the program needs of a center. Tests give another.
public protocol Observing: AnyObject {
    func addObserver(_ observer: Any, selector aSelector: Selector, name aName: NSNotification.Name?, object anObject: Any?)
    func removeObserver(_ observer: Any)
}

extension NotificationCenter: Observing {}
