import Foundation

extension NotificationCenter {
    func observe(_ observer: Any, _ selector: Selector, text: String) {
        addObserver(observer, selector: selector, name: .init(text), object: nil)
    }

    class func addObserver(_ target: NSObject, selector: Selector, name: Notification.Name) {
        NotificationCenter.default.addObserver(target, selector: selector, name: name, object: nil)
    }
}
