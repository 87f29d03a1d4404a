import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

// The same name, and other methods.
final class Other: NSObject {
    let store = Store()

    func start() {
        listen("a")
        listen(.init("a"), selector: 1)
        store.listen(again: "a")
    }

    func listen(_ name: Notification.Name, selector: Int) {}
    func listen(_ name: String) {}
}

func start(_ store: Store?) {
    store?.listen(.init("i"), selector: Store.noted)
}

extension Store {
    func listenToAll() { listen(.init("h"), selector: Store.arrived) }

    private func arrived(_ note: Notification) {}
    func noted(_ note: Notification) {}
}

extension Client {
    func listen(again name: String) {}

    func count() {
        func listen(_ name: Notification.Name, selector: Int) {}
        listen(.init("a"), selector: 2)
    }
}

protocol Listening: AnyObject {}

extension Listening {
    func listenOnce(_ selector: @escaping (Self) -> (Notification) -> Void) {
        NotificationCenter.default.addObserver(self, selector: selector, name: .init("z"), object: nil)
    }
}

class Listener: NSObject, Listening {}
