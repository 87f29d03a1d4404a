import Foundation

extension Notification.Name {
    static let opened = Notification.Name("opened")
}

@MainActor final class Button: NSObject {
    func watch(_ center: NotificationCenter) {
        center.addObserver(self, selector: #selector(pressed(_:)), name: .opened, object: nil)
        center.addObserver(self, selector: #selector(optional), name: .opened, object: nil)
        center.addObserver(self, selector: #selector(object(_:)), name: .opened, object: nil)
        center.addObserver(self, selector: #selector(named(sender:)), name: .opened, object: nil)
        center.addObserver(self, selector: #selector(result), name: .opened, object: nil)
    }

    @objc func pressed(_ sender: Any) {}
    @objc func optional(_ notification: Notification?) {}
    @objc func object(_ sender: AnyObject?) {}
    @objc func named(sender: Any?) {}
    @objc func result() -> Bool { true }
}
