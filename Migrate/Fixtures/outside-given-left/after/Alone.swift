import UIKit
import Switchyard
import class Switchyard.NotificationCenter
import class Switchyard.NotificationQueue

final class Alone: UIViewController {
    func start() {
        NotificationCenter.default.observe(.init("changed"), with: self, Alone.changed, on: .main)
    }
    @objc private func changed() {}
}
