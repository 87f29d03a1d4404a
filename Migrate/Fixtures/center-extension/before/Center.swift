import Foundation

final class Listener: NSObject {
    @objc fileprivate func heard(_ note: Notification) {}
}

extension NotificationCenter {
    func listen(to name: Notification.Name) -> Listener {
        let listener = Listener()
        addObserver(listener, selector: #selector(Listener.heard(_:)), name: name, object: nil)
        return listener
    }
}
