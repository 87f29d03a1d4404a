import Foundation

class Client: NSObject {
    private var observed: [Notification.Name] = []

    // Subclasses in other files call this with methods of their own.
    func listen(_ name: Notification.Name, selector: Selector) {
        observed.append(name)
        NotificationCenter.default.addObserver(self, selector: selector, name: name, object: nil)
    }

    // This one gets methods of this class alone.
    func watch(to name: Notification.Name, _ method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }

    func listenTwice(_ name: Notification.Name, then other: Notification.Name, selector: Selector) {
        listenOnce(name, selector)
        listenOnce(other, selector)
    }

    private func listenOnce(_ name: Notification.Name, _ selector: Selector) {
        let center = NotificationCenter.default
        center.addObserver(
            self,  // the client
            selector: selector, name: name, object: nil)
    }

    @objc func changed(_ note: Notification) {}
}
