import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

extension NotificationCenter {
    static func receive<Observer: AnyObject>(_ name: Notification.Name, instance: Observer, selector: @escaping (Observer) -> () -> Void) {
        self.default.addObserver(instance, selector: selector, name: name, object: nil)
    }

    static func send(_ name: Notification.Name) { Self.default.post(name: name, object: nil) }
}

final class Client: NSObject {
    func start() { NotificationCenter.receive(.init("changed"), instance: self, selector: Client.changed) }
    private func changed() {}
}
