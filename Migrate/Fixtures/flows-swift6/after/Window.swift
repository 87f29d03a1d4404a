import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

@MainActor final class Window: NSObject {
    func start() {
        listen(to: .init("a"), method: Window.opened)
        listen(to: .init("b"), method: Window.closed)
        [(Notification.Name("c"), Window.moved), (Notification.Name("d"), Window.sized)].forEach { name, method in
            NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
        }
    }

    func opened() {}
    func closed() {}
    func moved(_ note: NSNotification) {}
    func sized(_ note: NSNotification) {}
}

extension Window {
    fileprivate func listen(to name: Notification.Name, method: @escaping @Sendable (Window) -> @MainActor () -> Void) {
        NotificationCenter.default.addObserver(self, selector: method, name: name, object: nil)
    }
}
