import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    func observe<Observer: AnyObject>(_ observer: Observer, _ selector: @escaping (Observer) -> (Notification) -> Void, text: String) {
        addObserver(observer, selector: selector, name: .init(text), object: nil)
    }

    // It looks like the center's own method.
    class func addObserver<Observer: AnyObject>(_ target: Observer, selector: @escaping (Observer) -> () -> Void, name: Notification.Name) {
        NotificationCenter.default.addObserver(target, selector: selector, name: name, object: nil)
    }

    func observeBoth<Observer: AnyObject>(target: Observer, show: @escaping (Observer) -> @MainActor (Notification) -> Void, hide: @escaping (Observer) -> @MainActor () -> Void) {
        observe(.init("show"), with: target, show, on: .main)
        observe(.init("hide"), with: target, hide, on: .main)
    }
}

enum Tools {
    static func listen<Observer: NSObject>(of object: Observer, to selector: @escaping (Observer) -> (Notification) -> Void) {
        NotificationCenter.default.addObserver(
            object, selector: selector, name: .init("a"), object: object)
    }
}

@MainActor class Screen: NSObject {
    // The class of the observer is known, and has all the methods.
    static func listen(_ screen: Screen, _ selector: @escaping (Screen) -> @MainActor (Notification) -> Void) {
        NotificationCenter.default.observe(nil, with: screen, selector, on: .main)
    }

    // Its methods are those of classes after it, and there are two of them.
    func listen<Observer: Screen>(show: @escaping (Observer) -> @MainActor (Notification) -> Void, hide: @escaping (Screen) -> @MainActor () -> Void) {
        NotificationCenter.default.observe(.init("show"), with: self as! Observer, show, on: .main)
        NotificationCenter.default.observe(.init("hide"), with: self, hide, on: .main)
    }

    func hidden() {}
    func moved(_ note: Notification) {}
}
