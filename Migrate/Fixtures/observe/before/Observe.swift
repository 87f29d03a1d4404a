import Foundation

final class Watcher: NSObject {
    func start(_ center: NotificationCenter, _ object: AnyObject) {
        center.addObserver(self, selector: #selector(seen), name: .init("seen"), object: nil)
        center.addObserver(self, selector: #selector(seen), name: .init("seen"), object: object)
        center.addObserver(
            self,
            selector: #selector(seen),
            name: .init("seen"),
            object: object
        )
        center.addObserver(
            self, selector: #selector(seen),
            name: .init("seen"), object: nil)
    }
    @objc func seen(_ note: Notification) {}
}
