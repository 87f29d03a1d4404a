import Foundation

extension NotificationCenter {
    /// Programs that use the module may call it too.
    public func observeOpenly(_ observer: Any, _ selector: Selector, _ name: Notification.Name) {
        addObserver(observer, selector: selector, name: name, object: nil)
    }

    // One call gives a method that no notification fits.
    func observeBoth(_ observer: Any, _ selector: Selector, _ name: Notification.Name) {
        addObserver(observer, selector: selector, name: name, object: nil)
    }

    // One call gives a selector that is not written there.
    func observeUnknown(_ observer: Any, _ selector: Selector, _ name: Notification.Name) {
        addObserver(observer, selector: selector, name: name, object: nil)
    }
}
