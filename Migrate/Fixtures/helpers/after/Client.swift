import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

class Client: NSObject {
    private var observed: [Notification.Name] = []

    // Subclasses in other files call this with methods of their own.
    func listen<Observer: Client>(_ name: Notification.Name, selector: @escaping (Observer) -> (Notification) -> Void) {
        observed.append(name)
        NotificationCenter.default.addObserver(self as! Observer, selector: selector, name: name, object: nil)
    }

    // This one gets methods of this class alone.
    func watch(to name: Notification.Name, _ method: @escaping (Client) -> (Notification) -> Void) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }

    func listenTwice<Observer: Client>(_ name: Notification.Name, then other: Notification.Name, selector: @escaping (Observer) -> () -> Void) {
        listenOnce(name, selector)
        listenOnce(other, selector)
    }

    private func listenOnce<Observer: Client>(_ name: Notification.Name, _ selector: @escaping (Observer) -> () -> Void) {
        let center = NotificationCenter.default
        center.addObserver(
            self as! Observer,  // the client
            selector: selector, name: name, object: nil)
    }

    func changed(_ note: Notification) {}
}
