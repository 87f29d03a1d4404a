import Foundation

extension NotificationCenter {
    func observe(_ observer: Any, _ selector: Selector, text: String) {
        addObserver(observer, selector: selector, name: .init(text), object: nil)
    }

    // It looks like the center's own method.
    class func addObserver(_ target: AnyObject, selector: Selector, name: Notification.Name) {
        NotificationCenter.default.addObserver(target, selector: selector, name: name, object: nil)
    }

    func observeBoth(target: Any, show: Selector, hide: Selector) {
        addObserver(target, selector: show, name: .init("show"), object: nil)
        addObserver(target, selector: hide, name: .init("hide"), object: nil)
    }
}

enum Tools {
    static func listen(of object: NSObject, to selector: Selector) {
        NotificationCenter.default.addObserver(
            object, selector: selector, name: .init("a"), object: object)
    }
}

@MainActor class Screen: NSObject {
    // The class of the observer is known, and has all the methods.
    static func listen(_ screen: Screen, _ selector: Selector) {
        NotificationCenter.default.addObserver(screen, selector: selector, name: nil, object: nil)
    }

    // Its methods are those of classes after it, and there are two of them.
    func listen(show: Selector, hide: Selector) {
        NotificationCenter.default.addObserver(self, selector: show, name: .init("show"), object: nil)
        NotificationCenter.default.addObserver(self, selector: hide, name: .init("hide"), object: nil)
    }

    @objc func hidden() {}
    @objc func moved(_ note: Notification) {}
}
