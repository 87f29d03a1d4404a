import Foundation

/// Objective-C calls the center by this protocol.
@objc protocol Observing: NSObjectProtocol {
    func addObserver(_ observer: Any, selector: Selector, name: NSNotification.Name?, object: Any?)
}

extension NotificationCenter: Observing {
    var isObserving: Bool { true }
}
