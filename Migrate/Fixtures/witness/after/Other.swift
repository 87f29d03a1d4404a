import Foundation
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Other: NSObject {
    let tracker = Tracker(center: NotificationCenter.default)

    func start() {
        NotificationCenter.default.addObserver(
            self, selector: Other.changed, name: .init("changed"), object: nil)
    }

    @objc private func changed() {}
}
