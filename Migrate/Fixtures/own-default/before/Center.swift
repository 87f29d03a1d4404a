import Foundation

extension NotificationCenter {
    static func receive(_ name: Notification.Name, instance: Any, selector: Selector) {
        self.default.addObserver(instance, selector: selector, name: name, object: nil)
    }

    static func send(_ name: Notification.Name) { Self.default.post(name: name, object: nil) }
}

final class Client: NSObject {
    func start() { NotificationCenter.receive(.init("changed"), instance: self, selector: #selector(changed)) }
    @objc private func changed() {}
}
