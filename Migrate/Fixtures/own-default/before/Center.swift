import Foundation

extension NotificationCenter {
    static func receive(_ name: Notification.Name, instance: Any, selector: Selector) {
        self.default.addObserver(instance, selector: selector, name: name, object: nil)
    }

    static func receiveOnMain(_ name: Notification.Name, instance: AnyObject, action: Selector) {
        DispatchQueue.main.async { `default`.addObserver(instance, selector: action, name: name, object: nil) }
    }

    static func send(_ name: Notification.Name) { Self.default.post(name: name, object: nil) }
}

final class Client: NSObject {
    func start() { NotificationCenter.receive(.init("changed"), instance: self, selector: #selector(changed)) }
    func startOnMain() { NotificationCenter.receiveOnMain(.init("moved"), instance: self, action: #selector(moved)) }
    @objc private func changed() {}
    @objc private func moved() {}
}
