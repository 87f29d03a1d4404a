import Foundation

extension NotificationCenter {
    // Some methods belong to the main actor, and others don't.
    class func observe(_ observer: Any, _ selector: Selector, text: String) {
        NotificationCenter.default.addObserver(
            observer, selector: selector, name: .init(text), object: nil)
    }
}
