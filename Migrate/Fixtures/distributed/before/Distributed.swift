import Foundation

@MainActor final class Listener: NSObject {
    func start() {
        DistributedNotificationCenter.default().addObserver(
            self, selector: #selector(heard), name: .init("heard"), object: nil,
            suspensionBehavior: .deliverImmediately)
        let center = DistributedNotificationCenter.default()
        center.addObserver(self, selector: #selector(heard), name: .init("heard"), object: nil)
    }
    @objc func heard(_ note: Notification) {}
}
