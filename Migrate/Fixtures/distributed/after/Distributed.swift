import Foundation
import SwitchyardDistributed

@MainActor final class Listener: NSObject {
    func start() {
        DistributedNotificationCenter.default().addObserver(
            self, selector: Listener.heard, name: .init("heard"), object: nil,
            suspensionBehavior: .deliverImmediately)
        let center = DistributedNotificationCenter.default()
        center.addObserver(self, selector: Listener.heard, name: .init("heard"), object: nil)
    }
    func heard(_ note: Notification) {}
}
