import Foundation

@MainActor final class Window: NSObject {
    func start() {
        listen(to: .init("a"), method: #selector(opened))
        listen(to: .init("b"), method: #selector(closed))
        [(Notification.Name("c"), #selector(moved(_:))), (Notification.Name("d"), #selector(sized(_:)))].forEach { name, method in
            NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
        }
    }

    @objc func opened() {}
    @objc func closed() {}
    @objc func moved(_ note: NSNotification) {}
    @objc func sized(_ note: NSNotification) {}
}

extension Window {
    fileprivate func listen(to name: Notification.Name, method: Selector) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }
}
