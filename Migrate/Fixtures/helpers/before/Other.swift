import Foundation

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
    store?.listen(.init("i"), selector: #selector(Store.noted))
}

extension Store {
    func listenToAll() { listen(.init("h"), selector: #selector(arrived(_:))) }

    @objc private func arrived(_ note: Notification) {}
    @objc func noted(_ note: Notification) {}
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
    func listenOnce(_ selector: Selector) {
        NotificationCenter.default.addObserver(self, selector: selector, name: .init("z"), object: nil)
    }
}

class Listener: NSObject, Listening {}
