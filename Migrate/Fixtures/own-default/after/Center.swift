import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    static func receive<Observer: AnyObject>(_ name: Notification.Name, instance: Observer, selector: @escaping (Observer) -> () -> Void) {
        self.default.addObserver(instance, selector: selector, name: name, object: nil)
    }

    static func receiveOnMain<Observer: AnyObject>(_ name: Notification.Name, instance: Observer, action: @escaping (Observer) -> () -> Void) {
        DispatchQueue.main.async { `default`.addObserver(instance, selector: action, name: name, object: nil) }
    }

    static func send(_ name: Notification.Name) { Self.default.post(name: name, object: nil) }
}

final class Client: NSObject {
    func start() { NotificationCenter.receive(.init("changed"), instance: self, selector: Client.changed) }
    func startOnMain() { NotificationCenter.receiveOnMain(.init("moved"), instance: self, action: Client.moved) }
    private func changed() {}
    private func moved() {}
}
